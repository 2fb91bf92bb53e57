"""Matches played out in this process, and reported as a worker reports them.

The acceptance is the real one, which plays every record again in the engine; only the bots are
functions here instead of sandboxed processes.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from engine import games
from engine.clock import TimeControl
from engine.local import play_local
from engine.record import SeatLog
from engine.referee import PlayResult
from tournaments import dispatch, duplicate
from tournaments.models import Match, Worker

Choose = Callable[[dict[str, Any], list[str]], str]


def at_random(observation: dict[str, Any], legal: list[str]) -> str:
    return random.Random(repr((observation, legal))).choice(legal)


def eager(observation: dict[str, Any], legal: list[str]) -> str:
    """Plays whatever comes last."""
    return legal[-1]


def passing(observation: dict[str, Any], legal: list[str]) -> str:
    """Never fights: loses to nearly everybody."""
    return legal[0]


def result_of(match: Match, bots: Sequence[Choose]) -> dispatch.MatchResult:
    """The result of a match between functions, by contestant."""
    packages = [c.submission.sha256 for c in match.contestants.order_by("number")]
    plays = []
    for rotation in range(match.rotations):
        seats = duplicate.seats(match.players, rotation)
        record = play_local(
            games.get(match.game, match.edition),
            players=match.players,
            seed=match.seed,
            options=match.options,
            bots=[bots[contestant] for contestant in seats],
            rotation=rotation,
        )
        record = replace(
            record,
            packages=[packages[contestant] for contestant in seats],
            time=TimeControl.from_dict(match.time_control),
            isolation="bubblewrap",
            cpu_measured=True,
            cpu_ms=[1] * len(record.actions),
        )
        plays.append(PlayResult(record, [SeatLog(seat) for seat in range(match.players)]))
    return dispatch.MatchResult(packages, plays)


def play_out(match: Match, worker: Worker, bots: Sequence[Choose] | None = None) -> Match:
    """Claim a match, play it, report it; returns it as it is then.

    Of bots that are all alike every contestant gets the same: each has sat in every seat.
    """
    claim = dispatch.claim(match_id=match.pk, attempt=match.attempt, worker=worker)
    assert claim is not None, match.state
    outcome = dispatch.finish(
        match_id=match.pk,
        attempt=claim.number,
        token=claim.token,
        result=result_of(claim.match, bots or [at_random] * match.players),
    )
    assert outcome.verdict == dispatch.Verdict.ACCEPTED, outcome
    match.refresh_from_db()
    return match
