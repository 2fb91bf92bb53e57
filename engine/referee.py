"""One play of bots that run as separate processes: who is asked, for how long, and what follows.

The referee asks one seat at a time. A bot that breaks a rule of the wire, of the clock or of the
game has failed: its process is stopped at once and a stand-in plays its seat on. A failure of the
machine (`MachineFailure`, or any other exception) ends the play without a result. Either way no
process of a bot is left when `play` returns or raises.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import ceil
from time import monotonic
from typing import Any

from engine import wire
from engine.clock import Clock, TimeControl
from engine.contract import Game, State, may_see
from engine.places import Decisions, places
from engine.record import LONGEST_MESSAGE, Failure, Record, SeatLog
from engine.sandbox.api import Answer, Bot, BotFailure, Limits, Program, Sandbox
from engine.stand_in import StandIns

# The kernel's hard stop lies behind the clocks: room for more decisions than any seat has to take.
HARD_STOP_DECISIONS = 3000
KEPT_RECEIVED = 200
KEPT_SENT = 4096
SHOWN_LEGAL = 400


@dataclass(frozen=True, slots=True)
class SeatProgram:
    """The program that plays a seat, and the SHA-256 of the package that it came from."""

    program: Program
    sha256: str


@dataclass(frozen=True, slots=True)
class PlayResult:
    """What a play leaves: the record for everybody, and a log for the owner of each seat."""

    record: Record
    logs: list[SeatLog]


def play(
    game: Game,
    *,
    players: int,
    options: Mapping[str, Any],
    seed: str,
    rotation: int = 0,
    seats: Sequence[SeatProgram],
    time: TimeControl,
    sandbox: Sandbox,
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
) -> PlayResult:
    """Play one deal to its end, `seats` in seat order.

    `rotation` is the number of this play in its duplicate set (0 to 255); it only enters the bots'
    own random seeds. Without `limits` the usual ones hold. `progress` is called with the number of
    actions applied: 0 after each bot's start, then after each action; an exception of it ends the
    play. ValueError for a deal that the game refuses; MachineFailure passes through.
    """
    state = game.new_initial_state(players, seed, options)
    if len(seats) != players:
        raise ValueError(f"{players} players need as many programs, not {len(seats)}")
    random_seeds = [wire.random_seed(seed, rotation, seat) for seat in range(players)]
    starts = [
        wire.start(wire.seat_info(state, seat, random_seeds[seat]), time) for seat in range(players)
    ]
    limits = limits or _limits(time)
    report = progress or (lambda applied: None)
    clock = Clock(time, players)
    stand_ins = StandIns(game, seed)
    decisions = Decisions(state)
    actions: list[tuple[int, int]] = []
    times: list[int | None] = []
    failed: dict[int, int] = {}
    table = [_Seat(seat, sandbox, clock, random_seeds[seat]) for seat in range(players)]
    with sandbox.on_one_cpu(), ExitStack() as running:
        for seat, start in zip(table, starts, strict=True):
            running.callback(seat.stop)
            if not seat.start(seats[seat.number].program, limits, start, time.start_ms):
                failed[seat.number] = 0
            report(0)
        while deciders := state.current_players():
            # Seats that decide at the same time answer one after the other: the lowest first.
            seat = table[deciders[0]]
            legal = state.legal_actions(seat.number)
            action = seat.decide(state, legal, len(actions)) if seat.failure is None else None
            if action is None:
                failed.setdefault(seat.number, decisions.number(seat.number))
                action = stand_ins.choose(seat.number, legal)
                times.append(None)
            else:
                times.append(round(seat.previous_ms))
            state.apply_action(seat.number, action)
            actions.append((seat.number, game.action_index[action]))
            decisions.advance(seat.number, state)
            report(len(actions))
        scores = state.scores()
        final = places(state.ranks(), failed)
        for seat in table:
            seat.end(wire.end(scores, final))
    record = Record(
        game=game.name,
        edition=game.edition,
        players=players,
        options=dict(state.options),
        seed=seed,
        packages=[program.sha256 for program in seats],
        rotation=rotation,
        time=time,
        isolation=sandbox.name,
        cpu_measured=all(seat.cpu_measured for seat in table),
        actions=actions,
        cpu_ms=times,
        failures=[seat.failure for seat in table if seat.failure is not None],
        scores=scores,
        places=final,
    )
    return PlayResult(record, [seat.log for seat in table])


def _limits(time: TimeControl) -> Limits:
    cpu_ms = time.start_ms + time.bank_ms + HARD_STOP_DECISIONS * time.move_ms
    return Limits(cpu_s=ceil(cpu_ms / 1000))


class _Seat:
    """One seat during a play: its bot as long as it lives, and what its owner will want to know."""

    def __init__(self, number: int, sandbox: Sandbox, clock: Clock, random_seed: int) -> None:
        self.number = number
        self.failure: Failure | None = None
        self.cpu_measured = True
        self.previous_ms = 0.0
        self.log = SeatLog(number)
        self._sandbox = sandbox
        self._clock = clock
        self._random_seed = random_seed
        self._bot: Bot | None = None
        self._events_sent = 0

    def start(self, program: Program, limits: Limits, line: bytes, start_ms: int) -> bool:
        """Start the bot and wait until it is ready; False if it failed."""
        try:
            self._bot = self._sandbox.start(program, limits, random_seed=self._random_seed)
            self.cpu_measured = self._bot.cpu_measured
            answer = self._ask(line, start_ms, None)
            wire.parse_ready(answer.line)
        except BotFailure as failure:
            self._fail(0, failure.reason, failure.message, failure.received)
        except wire.WireError as error:
            self._fail(0, "form", str(error), answer.line)
        return self.failure is None

    def decide(self, state: State, legal: Sequence[str], decision: int) -> str | None:
        """Ask the bot for one of the legal actions; None if it failed."""
        request_id = secrets.token_hex(8)
        line = wire.decide(
            request_id=request_id,
            player=self.number,
            observation=state.observation(self.number),
            events=self._news(state),
            legal_actions=legal,
            bank_ms=self._clock.bank_ms(self.number),
            previous_ms=self.previous_ms,
        )
        try:
            answer = self._ask(line, self._clock.limit_ms(self.number), decision)
            action, note = wire.parse_answer(answer.line, request_id)
        except BotFailure as failure:
            self._fail(decision, failure.reason, failure.message, failure.received)
            return None
        except wire.WireError as error:
            self._fail(decision, "form", str(error), answer.line)
            return None
        if note is not None:
            self.log.notes.append((decision, note))
        if action not in legal:
            self._fail(decision, "illegal", _illegal(state.game, action, legal), answer.line)
            return None
        self._clock.charge(self.number, answer.cpu_ms)
        return action

    def end(self, line: bytes) -> None:
        """Tell a bot that has not failed how the play ended."""
        if self._bot is not None:
            self.log.sent = line[:KEPT_SENT]
            self._bot.tell(line)

    def stop(self) -> None:
        """Stop the bot if it runs, and keep what is left of it."""
        if self._bot is None:
            return
        bot, self._bot = self._bot, None
        remains = bot.stop()
        log = self.log
        log.stderr, log.stderr_cut = remains.stderr, remains.stderr_cut
        log.exit_code, log.signal = remains.exit_code, remains.signal
        log.cpu_ms, log.peak_memory_bytes = remains.cpu_ms, remains.peak_memory_bytes

    def _ask(self, line: bytes, limit_ms: float, decision: int | None) -> Answer:
        assert self._bot is not None
        self.log.sent = line[:KEPT_SENT]
        begun = monotonic()
        try:
            answer = self._bot.ask(line, cpu_ms=limit_ms)
        except BotFailure as failure:
            self._measured(decision, failure.cpu_ms, begun)
            raise
        self._measured(decision, answer.cpu_ms, begun)
        self.log.received = answer.line[:KEPT_RECEIVED]
        if answer.cpu_ms > limit_ms:
            raise BotFailure(
                "time",
                f"it used {answer.cpu_ms:.0f} ms of CPU time for this answer; "
                f"{limit_ms:.0f} ms were left",
                received=answer.line,
            )
        return answer

    def _measured(self, decision: int | None, cpu_ms: float, begun: float) -> None:
        self.previous_ms = cpu_ms
        wall_ms = (monotonic() - begun) * 1000
        self.log.asked.append((decision, round(cpu_ms, 3), round(wall_ms, 3)))

    def _news(self, state: State) -> list[dict[str, Any]]:
        """The events since the last message to this bot that it may see."""
        events = state.events[self._events_sent :]
        self._events_sent += len(events)
        return [event for event in events if may_see(event, self.number)]

    def _fail(self, decision: int, reason: str, message: str, received: bytes) -> None:
        self.failure = Failure(self.number, decision, reason, message[:LONGEST_MESSAGE])
        self.log.received = received[:KEPT_RECEIVED]
        self.stop()


def _illegal(game: Game, action: str, legal: Sequence[str]) -> str:
    """Names the action and the legal ones, as far as they fit.

    The message is public and what a bot sends is its owner's: only the game's own words are named.
    """
    known = action in game.action_index
    given = f"the action '{action}' is not legal here" if known else "the action is not the game's"
    listed = ", ".join(repr(name) for name in legal)
    if len(listed) > SHOWN_LEGAL:
        listed = listed[:SHOWN_LEGAL].rsplit(", ", 1)[0] + f" … ({len(legal)} in all)"
    return f"{given}; legal are: {listed}"
