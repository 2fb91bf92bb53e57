"""Golden play-throughs: one text file for each game and number of players.

The first line is the deal as JSON; then follow the decisions, each with the events that came of it
(indented), and in front a digest of the position and of what everybody sees after it. A file tells
at once what a change of the rules changes. Files of released editions never change.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine import games
from engine.chance import Chance
from engine.contract import Game, State
from tests.contract.plays import option_values

FOLDER = Path(__file__).parent
# With this seed every kind of event of Deca Slayer comes up, with each of its reasons.
SEED = "57a1e" * 12 + "0092"
# For Kunlun one with nearly every kind of event in files that are not too long.
SEEDS = {"kunlun": "57a1e" * 12 + "005e"}


def deals(game: Game) -> Iterator[dict[str, Any]]:
    """One deal for each number of players; the options take their values in turn."""
    for number, players in enumerate(range(game.min_players, game.max_players + 1)):
        yield {
            "game": game.name,
            "edition": game.edition,
            "players": players,
            "options": {
                name: values[number % len(values)]
                for name, option in game.options.items()
                for values in [option_values(game, option, players)]
            },
            "seed": SEEDS.get(game.name, SEED),
        }


def path(deal: dict[str, Any]) -> Path:
    """Where the deal's file lies."""
    return FOLDER / f"{deal['game']}-{deal['edition']}-{deal['players']}.txt"


def lines(deal: dict[str, Any]) -> Iterator[str]:
    """The file of a deal, line by line; who decides and what is chosen comes from the seed."""
    yield json.dumps(deal)
    game = games.get(deal["game"], deal["edition"])
    state = game.new_initial_state(deal["players"], deal["seed"], deal["options"])
    chance = Chance(deal["seed"])
    yield f"{_digest(state)} deal"
    told = 0
    while deciders := state.current_players():
        yield from (f"    {_event(event)}" for event in state.events[told:])
        told = len(state.events)
        player = deciders[chance.below("golden-player", len(deciders))]
        legal = state.legal_actions(player)
        action = legal[chance.below("golden-action", len(legal))]
        state.apply_action(player, action)
        yield f"{_digest(state)} {player} {action}"
    yield from (f"    {_event(event)}" for event in state.events[told:])


def _event(event: dict[str, Any]) -> str:
    fields = {name: value for name, value in event.items() if name not in ("kind", "visible_to")}
    whose = "" if event["visible_to"] is None else f" for {event['visible_to']}"
    return f"{event['kind']}{whose} {json.dumps(fields)}"


def _digest(state: State) -> str:
    position = {name: value for name, value in state.to_dict().items() if name != "events"}
    seen = [state.observation(viewer) for viewer in (None, *range(state.players))]
    legal = [state.legal_actions(player) for player in range(state.players)]
    whole = [position, seen, legal, state.scores(), state.ranks()]
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:8]
