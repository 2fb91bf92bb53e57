"""A play among code that is trusted and runs in this process: for one's own trials and tests.

Uploaded code never runs in this way: nothing here limits or isolates it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine import wire
from engine.contract import Game
from engine.errors import IllegalAction
from engine.record import Record

Act = Callable[[dict[str, Any], list[str]], str]


def play_local(
    game: Game,
    *,
    players: int,
    seed: str,
    bots: Sequence[Any],
    options: Mapping[str, Any] | None = None,
    rotation: int = 0,
) -> Record:
    """Play one deal to its end among `bots`, in seat order.

    A bot is a callable `act(observation, legal_actions) -> action`, or an object with that method
    and, if it likes, `start(info)` (what the wire's `start` tells of the seat, with a random seed
    of the bot's own) and `end(result)` (`scores`, and `ranks` by seat). The same deal and the same
    choices give the same play hash as a play of packages. No clock runs and nobody fails: an
    illegal action is an IllegalAction that names the seat, other exceptions pass through.
    """
    state = game.new_initial_state(players, seed, options)
    if len(bots) != players:
        raise ValueError(f"{players} players need as many bots, not {len(bots)}")
    acts = [_act(seat, bot) for seat, bot in enumerate(bots)]
    for seat, bot in enumerate(bots):
        if hasattr(bot, "start"):
            own_seed = wire.random_seed(seed, rotation, seat)
            bot.start(wire.seat_info(state, seat, own_seed))
    actions: list[tuple[int, int]] = []
    while deciders := state.current_players():
        seat = deciders[0]
        action = acts[seat](state.observation(seat), state.legal_actions(seat))
        try:
            state.apply_action(seat, action)
        except IllegalAction as error:
            raise IllegalAction(f"seat {seat}, decision {len(actions)}: {error}") from None
        actions.append((seat, game.action_index[action]))
    scores, ranks = state.scores(), state.ranks()
    for bot in bots:
        if hasattr(bot, "end"):
            bot.end({"scores": list(scores), "ranks": list(ranks)})
    return Record(
        game=game.name,
        edition=game.edition,
        players=players,
        options=dict(state.options),
        seed=seed,
        packages=[],
        rotation=rotation,
        time=None,
        isolation="none",
        cpu_measured=False,
        actions=actions,
        cpu_ms=[None] * len(actions),
        failures=[],
        scores=scores,
        places=ranks,
    )


def _act(seat: int, bot: Any) -> Act:
    act: object = getattr(bot, "act", bot)
    if not callable(act):
        raise ValueError(
            f"the bot of seat {seat}, a {type(bot).__name__}, neither has an `act` method "
            "nor can be called"
        )
    return act
