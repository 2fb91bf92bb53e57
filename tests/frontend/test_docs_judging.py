"""The page on judging: its example is computed, its checks are done."""

import hashlib
import subprocess
import sys
from dataclasses import fields
from fractions import Fraction

import pytest
from django.conf import settings

from engine import replay
from engine.chance import commitment
from engine.places import place_points, places
from engine.record import Failure, Record
from tests.builders import make_bot, make_submission
from tests.frontend.docs_reader import CHECKOUT, code, only, plain, tables, words_of
from tests.frontend.docs_shell import Shell
from tests.playing import at_random, eager, passing, play_out
from tests.tournaments.conftest import make_worker
from tournaments import dispatch, duplicate, entrants, lifecycle

PAGE = "judging.md"
BOTS = "ABC"
TABLES = {table.name: table for table in tables("judging.md")}


def example() -> list[duplicate.PlayOutcome]:
    """The plays of the example, with places made from its scores and failures."""
    plays = []
    for number in range(3):
        rows = [row for row in TABLES["An example by hand"].rows if int(row[0]) == number]
        scores = [int(row[3]) for row in rows]
        failed = {seat: int(row[4]) for seat, row in enumerate(rows) if row[4]}
        ranks = [1 + sum(other > score for other in scores) for score in scores]
        plays.append(
            duplicate.PlayOutcome(
                seats=[BOTS.index(row[2]) for row in rows],
                scores=scores,
                places=places(ranks, failed),
                failed=list(failed),
            )
        )
    return plays


def check_rotations(table):
    for number, (play, *seats) in enumerate(table.rows):
        assert int(play) == number
        assert seats == [BOTS[i] for i in duplicate.seats(3, number)]
    assert len(table.rows) == duplicate.rotations_for(3)


def check_plays(table):
    rows = iter(table.rows)
    for outcome in example():
        points = place_points(outcome.places)
        margins = duplicate.margins(outcome)
        for seat in range(3):
            row = next(rows)
            assert int(row[1]) == seat
            assert int(row[5]) == outcome.places[seat]
            assert (Fraction(row[6]), Fraction(row[7])) == (points[seat], margins[seat])
    assert [outcome.seats for outcome in example()] == [duplicate.seats(3, r) for r in range(3)]


def check_sums(table):
    for (bot, *row), name, result in zip(
        table.rows, BOTS, duplicate.result(3, example()), strict=True
    ):
        assert bot == name
        assert (Fraction(row[0]), Fraction(row[1])) == (result.points, result.margin)
        assert (int(row[2]), int(row[3])) == (result.failures, result.place)


def check_rules(table):
    assert list(table.values().values()) == [
        str(settings.INFRASTRUCTURE_FAILURES),
        f"{settings.LEASE_S} s",
        f"{settings.ATTEMPT_HARD_LIMIT_S // 3600} h",
        str(lifecycle.REPLACEMENTS),
    ]


def check_record(table):
    named = [plain(name) for cell in table.column(0) for name in cell.split(", ")]
    assert sorted(named) == sorted(field.name for field in fields(Record))
    of_failures = table.values()["`failures`"]
    assert [plain(name) for name in of_failures.split(", ")] == [f.name for f in fields(Failure)]


CHECKS = {
    "One deal, every seat": check_rotations,
    "An example by hand": check_plays,
    "The sums": check_sums,
    "When the machine fails": check_rules,
    "That the plays follow from it": check_record,
}


@pytest.mark.parametrize("table", tables("judging.md"), ids=str)
def test_table(table):
    CHECKS[table.name](table)


def test_facts_in_the_text():
    assert (
        f"({entrants.VOID_ATTEMPTS} within 24 hours, on {entrants.VOID_WORKERS} workers or more"
    ) in words_of(PAGE)
    assert place_points([1, 2, 3, 4]) == [1, Fraction(2, 3), Fraction(1, 3), 0]


def run(block: str, folder) -> str:
    done = subprocess.run(
        [sys.executable, "-c", block],
        cwd=folder,
        env={"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_code_of_the_commitment_prints_what_stands_below(tmp_path):
    printed = run(only(PAGE, "python", "That the deal was fixed first"), tmp_path)
    assert printed == only(PAGE, "text", "That the deal was fixed first")
    seed = "03" * 32
    assert printed.strip() == hashlib.sha256(bytes.fromhex(seed)).hexdigest() == commitment(seed)


@pytest.mark.django_db(transaction=True)
def test_replay_is_fetched_and_verified_as_the_page_says(live_server, tmp_path):
    # given a finished match
    bots = [make_submission(make_bot()) for _ in range(3)]
    match = dispatch.make_match(kind="test", game="deca-slayer", submissions=bots)
    play_out(match, make_worker("docs@here"), [at_random, eager, passing])
    shell = Shell(tmp_path, API=f"{live_server.url}/api/v1", MATCH=str(match.pk))

    # when a doubter types what stands there
    (commands,) = code("judging.md", "sh")
    printed = shell.run(commands.text)

    # then the engine says that it is right, and the seed is the one that was promised
    assert printed.startswith("play.replay is right: deca-slayer edition 1, 3 players")
    assert len(code("judging.md", "python")) == 2
    seed, *_ = run(
        only("judging.md", "python", "That the plays follow from it"), shell.folder
    ).split()
    assert commitment(seed) == match.commitment
    # and the API's JSON is read as well
    shell.run(
        "curl -sf $API/matches/$MATCH/plays/0/record/ -o play.json\n"
        "python3 -m engine verify play.json"
    )
    assert replay.loads((shell.folder / "play.replay").read_bytes()).seed == seed
