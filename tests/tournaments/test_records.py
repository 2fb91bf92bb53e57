"""What a bot's matches say of it: the latest ones, by seat, and its failures."""

import pytest

from tests.tournaments.conftest import make_worker
from tests.tournaments.rows import entrant, played
from tournaments import records

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture
def matches(ladder):
    """Three matches of the same bots, the first of which failed in the first and the last one."""
    make_worker("one@here")
    bots = [entrant() for _ in range(3)]
    found = [played(ladder, bots, crash=crash) for crash in ((0,), (), (0,))]
    return bots[0].bot, found


def test_failures_are_those_of_the_latest_matches_first(matches):
    bot, (first, _, last) = matches
    found = records.failures(bot)
    assert [(row.match, row.rotation) for row in found] == [
        (match.pk, rotation) for match in (last, first) for rotation in range(3)
    ]
    assert {(row.version, row.reason) for row in found} == {(1, "exit")}


def test_of_many_matches_the_latest_are_looked_at(matches, monkeypatch):
    bot, (_, middle, last) = matches
    monkeypatch.setattr(records, "MATCHES", 2)
    assert {row.match for row in records.failures(bot)} == {last.pk}
    # Two matches of three plays: once in each seat, in the last one on the last place.
    rows = records.by_seat(bot)
    assert [(row.players, row.seat, row.plays) for row in rows] == [
        (3, seat, 2) for seat in range(3)
    ]
    contestant = middle.contestants.get(submission__bot=bot)
    assert sum(row.points * row.plays for row in rows) == pytest.approx(contestant.place_points)
