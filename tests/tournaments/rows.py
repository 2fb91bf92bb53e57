"""Rows of tournaments for tests, made through the service's own functions."""

import itertools
import json
from pathlib import Path

from django.db import transaction
from django.db.models.functions import Now

from bots.models import Player
from engine import games
from engine.clock import TimeControl
from engine.referee import SeatProgram, play
from engine.sandbox import Answer, Bot, BotFailure, Program, Remains, Sandbox
from tests.builders import make_bot, make_submission
from tournaments import dispatch, duplicate, entrants, ledger
from tournaments.models import Match, Worker

_counter = itertools.count(1)
GAME = "deca-slayer"


def entrant(player=None, *, active=True, house=False):
    """A qualified version of a new bot, active unless it is said otherwise."""
    if player is None:
        handle = f"owner-{next(_counter)}"
        player = Player.objects.create(handle=handle, name=handle, house=house)
    submission = make_submission(make_bot(player))
    if active:
        entrants.activate(submission=submission, user=None)
    return submission


def ladder_match(ladder, submissions, **changes):
    made = {
        "kind": Match.Kind.LADDER,
        "game": GAME,
        "submissions": submissions,
        "ladder": ladder,
        "rated": True,
    }
    return dispatch.make_match(**{**made, **changes})


def claimed(match, worker=None):
    worker = worker or Worker.objects.get()
    claim = dispatch.claim(match_id=match.pk, attempt=match.attempt, worker=worker)
    assert claim is not None
    return claim


def ids(claim):
    return {"match_id": claim.match.pk, "attempt": claim.number, "token": claim.token}


def report(claim, *, crash=(), tier="bubblewrap", choose=0):
    """A true report: the plays of the match by the referee, with bots in this process.

    The bots take the legal action number `choose`; contestants in `crash` end by themselves when
    they are first asked.
    """
    match = claim.match
    sandbox = InProcess(tier, crash, choose)
    programs = [
        SeatProgram(Program(Path("/nowhere"), "python", str(number)), submission.sha256)
        for number, submission in enumerate(claim.submissions)
    ]
    return dispatch.MatchResult(
        [program.sha256 for program in programs],
        [
            play(
                games.get(match.game, match.edition),
                players=match.players,
                options=match.options,
                seed=match.seed,
                rotation=rotation,
                seats=[programs[i] for i in duplicate.seats(match.players, rotation)],
                time=TimeControl.from_dict(match.time_control),
                sandbox=sandbox,
            )
            for rotation in range(match.rotations)
        ],
    )


def rated(ladder, submissions, places):
    """A rated match that ended with these places, applied to the ledger; without its plays."""
    match = ladder_match(ladder, submissions)
    contestants = list(match.contestants.select_related("submission").order_by("number"))
    for contestant, place in zip(contestants, places, strict=True):
        contestant.place = place
        contestant.save()
    with transaction.atomic():
        Match.objects.filter(pk=match.pk).update(state="finished", ended_at=Now())
        table = [
            (each.submission_id, place) for each, place in zip(contestants, places, strict=True)
        ]
        ledger.apply([ledger.Finished(match.pk, ladder.pk, table)])
    return match


def played(ladder, submissions, **how):
    """A finished ladder match."""
    claim = claimed(ladder_match(ladder, submissions))
    assert dispatch.finish(**ids(claim), result=report(claim, **how)).verdict == "accepted"
    claim.match.refresh_from_db()
    return claim.match


class InProcess(Sandbox):
    """Runs a bot for each contestant here; a program's entry is the contestant's number."""

    isolated, refusals, languages, python_version = False, {}, ("python",), None

    def __init__(self, tier, crash, choose):
        self.name, self._crash, self._choose = tier, crash, choose

    def start(self, program, limits, *, random_seed=0):
        return _Bot(int(program.entry) in self._crash, self._choose)

    def close(self):
        pass


class _Bot(Bot):
    cpu_measured = True

    def __init__(self, crashes, choose):
        self._crashes, self._choose = crashes, choose

    def ask(self, line, *, cpu_ms):
        message = json.loads(line)
        if message["type"] == "start":
            return Answer(b'{"type":"ready"}', 1.0, 1.0)
        if self._crashes:
            raise BotFailure("exit", "it ended by itself with exit code 3")
        legal = message["legal_actions"]
        action = legal[self._choose % len(legal)]
        return Answer(
            b'{"id":"%s","action":"%s"}' % (message["id"].encode(), action.encode()), 2, 3
        )

    def tell(self, line):
        pass

    def stop(self):
        return Remains(None, 9, 42.0, 1 << 20, b"a log\n", False)
