"""A game small enough to count by hand, and bots that answer from a script, without processes."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.clock import TimeControl
from engine.contract import Game, State, ranks_by
from engine.referee import SeatProgram
from engine.sandbox.api import Answer, Bot, Limits, Program, Remains, Sandbox

SEED = "5e" * 32
TIME = TimeControl(start_ms=1000, move_ms=100, bank_ms=500)


class SealedBids(Game):
    """Each round all seats bid face down, then seat 0 says `low` or `high`, for two rounds.

    `think` may be said any number of times before a bid; it shows nothing. A bid scores its value.
    """

    name, title, edition = "sealed-bids", "Sealed Bids", "1"
    min_players, max_players = 2, 4
    options: dict[str, Any] = {}
    actions = ("think", "bid 1", "bid 2", "bid 3", "low", "high")
    stand_in = "uniform"

    def _deal(self, players: int, seed: str, options: dict[str, Any]) -> State:
        return SealedBidsState(self, players)

    def state_from_dict(self, position: Mapping[str, Any]) -> State:
        raise NotImplementedError


class SealedBidsState(State):
    def __init__(self, game: Game, players: int) -> None:
        self.game, self.players, self.options = game, players, {}
        self._round, self._bids, self._scores = 0, {}, [0] * players
        self._events: list[dict[str, Any]] = [{"kind": "start", "visible_to": None}]
        self._events += [{"kind": "hint", "visible_to": [s], "for": s} for s in range(players)]

    @property
    def events(self) -> list[dict[str, Any]]:
        return self._events

    def current_players(self) -> tuple[int, ...]:
        if self._round == 2:
            return ()
        waiting = tuple(s for s in range(self.players) if s not in self._bids)
        return waiting or (0,)

    def _legal(self, player: int) -> tuple[str, ...]:
        if player not in self.current_players():
            return ()
        return ("low", "high") if len(self._bids) == self.players else self.game.actions[:4]

    def _apply(self, player: int, action: str) -> None:
        if action == "think":
            return
        if action.startswith("bid"):
            self._bids[player] = int(action[4:])
            if len(self._bids) == self.players:
                for seat, bid in self._bids.items():
                    self._scores[seat] += bid
                    self._events.append({"kind": "bid", "visible_to": None, "player": seat})
            return
        self._events.append({"kind": "said", "visible_to": None, "word": action})
        self._round, self._bids = self._round + 1, {}

    def observation(self, player: int | None) -> dict[str, Any]:
        return {"round": self._round, "sealed": self._bids.get(player, 0)}

    def scores(self) -> list[int]:
        return list(self._scores)

    def ranks(self) -> list[int]:
        return ranks_by(self._scores)

    def clone(self) -> State:
        raise NotImplementedError

    def resample(self, player: int | None, seed: str) -> State:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError


GAME = SealedBids()

Reply = str | bytes | Exception | Answer
Script = Callable[[dict[str, Any]], Reply]


class ScriptedBot(Bot):
    """Answers each message by `script(message)`: an action, a raw line, an Answer, or an error."""

    def __init__(self, script: Script, journal: list[Any], seat: int) -> None:
        self.cpu_measured = True
        self.script, self.journal, self.seat = script, journal, seat
        self.heard: list[dict[str, Any]] = []
        self.limits: list[float] = []
        self.stopped = 0

    def ask(self, line: bytes, *, cpu_ms: float) -> Answer:
        message = json.loads(line)
        self.heard.append(message)
        self.limits.append(cpu_ms)
        self.journal.append((message["type"], self.seat))
        reply = self.script(message)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Answer):
            return reply
        if isinstance(reply, str):
            reply = answer(message, reply)
        return Answer(reply, cpu_ms=10.0, wall_ms=20.0)

    def tell(self, line: bytes) -> None:
        self.heard.append(json.loads(line))
        self.journal.append(("end", self.seat))

    def stop(self) -> Remains:
        self.stopped += 1
        self.journal.append(("stop", self.seat))
        return Remains(0, None, 33.0, 1234, b"log of %d" % self.seat, False)


class ScriptedSandbox(Sandbox):
    """Starts one bot for each script, in seat order."""

    name, isolated = "scripted", False
    refusals: dict[str, str] = {}
    languages = ("python",)
    python_version = None

    def __init__(self, *scripts: Script) -> None:
        self.scripts = scripts
        self.journal: list[Any] = []
        self.bots: list[ScriptedBot] = []

    def start(self, program: Program, limits: Limits, *, random_seed: int = 0) -> Bot:
        seat = int(program.entry)
        bot = ScriptedBot(self.scripts[seat], self.journal, seat)
        self.bots.append(bot)
        return bot

    def close(self) -> None:
        pass


def answer(message: dict[str, Any], action: str, **more: Any) -> bytes:
    """The right line for a message: `ready`, or the action under the request's id."""
    if message["type"] == "start":
        return b'{"type":"ready"}'
    return json.dumps({"id": message["id"], "action": action, **more}).encode()


def seats(count: int) -> list[SeatProgram]:
    """Programs whose entry tells the scripted sandbox which seat they are."""
    return [
        SeatProgram(Program(Path("/nowhere"), "python", str(seat)), f"{seat:064x}")
        for seat in range(count)
    ]
