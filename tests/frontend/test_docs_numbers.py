"""The page about the numbers: every number on it is computed again."""

import random
import re
from dataclasses import replace

import pytest

from api.serializers.ladders import LadderDetailSerializer, RatingChangeSerializer
from engine import games
from tests.builders import make_bot, make_player, make_submission
from tests.frontend.docs_reader import plain, tables, words_of
from tournaments import dispatch, ladders, rating, scheduler, scheduling, standings
from tournaments.dispatch.making import PRIORITY
from tournaments.models import Match, RatingChange
from tournaments.rating import START, RatingValue, interval, new_version, ordinal, update
from tournaments.standings import TableResult, bye_points

PAGE = "numbers.md"


def span(value: RatingValue) -> str:
    low, high = interval(value)
    return f"{low:.2f} to {high:.2f}"


def check_start(table):
    assert table.values() == {
        "mu": f"{START.mu:.2f}",
        "sigma": f"{START.sigma:.2f}",
        "ordinal": f"{ordinal(START):.2f}",
        "interval": span(START),
    }


def check_settings(table):
    values = list(table.values().values())
    assert values == [f"{rating.BETA:.2f}", f"{rating.TAU:g}", "1", f"{rating.WINDOW}"]


def check_first_match(table):
    after = update([START] * 3, [int(place) for place in table.column(0)])
    for row, value in zip(table.rows, after, strict=True):
        assert row[1:] == (
            f"{value.mu:.2f}",
            f"{value.sigma:.2f}",
            span(value),
            f"{ordinal(value):.2f}",
        )


def check_sigma_falls(table):
    # Twelve bots whose results are lots; the mean of their sigmas at each number of matches.
    lots = random.Random(1)
    values = [START] * 12
    shown = {int(matches): float(sigma) for matches, sigma in table.rows}
    played = 0
    while shown:
        order = lots.sample(range(12), 12)
        for seats in (order[:4], order[4:8], order[8:]):
            after = update([values[i] for i in seats], [1, 2, 3, 4])
            for i, value in zip(seats, after, strict=True):
                values[i] = value
            played += 1
        if (matches := played * 4 // 12) in shown:
            mean = sum(value.sigma for value in values) / 12
            assert mean == pytest.approx(shown.pop(matches), abs=0.15)


def check_ranges(table):
    values = [RatingValue(float(row[1]), float(row[2])) for row in table.rows]
    ordinals = sorted(map(ordinal, values), reverse=True)
    ranges = rating.rank_ranges(values)
    for row, value, (best, worst) in zip(table.rows, values, ranges, strict=True):
        assert row[3:] == (
            span(value),
            f"{ordinal(value):.2f}",
            str(1 + ordinals.index(ordinal(value))),
            f"{best}–{worst}",
        )


def check_new_versions(table):
    for (_, share, sigma), rewrite in zip(table.rows, (False, True), strict=True):
        widening = rating.REWRITE_WIDENING if rewrite else rating.VERSION_WIDENING
        assert float(share) == widening
        assert sigma == f"{new_version(RatingValue(30, 2.0), rewrite).sigma:.2f}"
        assert new_version(RatingValue(30, 2.0), rewrite).mu == 30


def check_kinds_of_match(table):
    assert table.column(0) == Match.Kind.values


def check_kinds_of_change(table):
    assert [plain(cell) for cell in table.column(0)] == RatingChange.Kind.values
    assert table.column(1) == RatingChange.Kind.labels


def check_ledger_fields(table):
    named = [plain(name) for cell in table.column(0) for name in cell.split(", ")]
    assert sorted(named) == sorted(RatingChangeSerializer.Meta.fields)


def check_order(table):
    x, y = [1, 2, 3], [3, 2, 1]
    for (_, *mus), matches in zip(table.rows, ((x, y), (y, x)), strict=True):
        values = [START] * 3
        for places in matches:
            values = update(values, places)
        assert mus == [f"{value.mu:.2f}" for value in values]


def check_scheduling(table):
    def part(share: float) -> str:
        return f"1/{1 / share:g}"

    assert list(table.values().values()) == [
        str(scheduling.FRESH_MATCHES),
        part(scheduling.NEW_SHARE),
        part(scheduling.NEAR_SHARE),
        f"1/{scheduling.NEAR_PART}",
        str(scheduling.NEAR_LEAST),
        part(scheduling.LATE),
        str(scheduler.ROUNDS),
    ]


def check_bound(table):
    for active, seats, bound in table.rows:
        seconds = scheduling.waiting_bound_s(int(active), float(seats))
        assert bound == f"{seconds / 60:g} min"


def check_points(table):
    assert table.header[1:] == ("Swiss", "round robin")
    # What stands in words is done here: a bye, a table left out, a forfeit, a withdrawal.
    assert bye_points([]) == bye_points([0.25]) == 0.5
    assert bye_points([1, 0.5]) == 0.75
    first = [TableResult({1: 1, 2: 0.5, 3: 0}), TableResult({4: 1}, bye=True)]
    left_out = [TableResult({1: 0, 2: 0, 3: 0}, left_out=True), TableResult({4: 0}, bye=True)]
    last = [TableResult({1: 1, 2: 0.5, 4: 0}), TableResult({3: 0}, bye=True)]
    swiss = {row.entrant: row for row in standings.standings([1, 2, 3, 4], [first, left_out])}
    assert {entrant: float(row.points) for entrant, row in swiss.items()} == {
        1: 2, 2: 1, 3: 0.5, 4: 1,
    }  # fmt: skip
    robin = {
        row.entrant: float(row.points)
        for row in standings.standings(
            [1, 2, 3, 4], [first, left_out, last], scoring="mean", withdrawn=[3]
        )
    }
    assert robin == {1: 1, 2: 0.5, 3: 0, 4: 0}
    missed = standings.standings([1, 2, 3, 4], [first, last], scoring="mean", withdrawn=[4])
    assert all(row.points == 0 for row in missed if row.entrant == 4)


def check_tie_breaks(table):
    assert [plain(cell) for cell in table.column(0)] == list(standings.TIE_BREAKS)
    assert table.column(1) == [each.title for each in standings.TIE_BREAKS.values()]
    assert f"at least 1/{1 / standings.LEAST_OPPONENT} for each" in table.rows[1][2]


CHECKS = {
    "Mu, sigma, and what is shown": check_start,
    "After a match": check_settings,
    "After a match #2": check_first_match,
    "After a match #3": check_sigma_falls,
    "Rank and rank range": check_ranges,
    "New versions": check_new_versions,
    "What is rated": check_kinds_of_match,
    "The ledger": check_kinds_of_change,
    "The ledger #2": check_ledger_fields,
    "Order": check_order,
    "Who plays whom": check_scheduling,
    "Who plays whom #2": check_bound,
    "Points": check_points,
    "Tie-breaks": check_tie_breaks,
}


@pytest.mark.parametrize("table", tables("numbers.md"), ids=str)
def test_table(table):
    CHECKS[table.name](table)


def test_facts_in_the_text():
    text = words_of(PAGE)
    least = f"at least {scheduling.LEAST_BOUND_S / 60:g} minutes"
    assert f"seats started within the last hour), and {least}" in text
    lanes = ["brackets", "then checks of new versions", "then test matches", "then the ladder"]
    assert ", ".join(lanes) in text
    kinds = [Match.Kind.BRACKET, Match.Kind.QUALIFICATION, Match.Kind.TEST, Match.Kind.LADDER]
    assert kinds == sorted(PRIORITY, key=PRIORITY.get, reverse=True)
    assert re.search(r"`generation` of the ladder says", text)
    fields = set(LadderDetailSerializer.Meta.fields)
    assert {"generation", "bound_s", "longest_s"} <= fields


@pytest.mark.django_db
def test_what_is_rated_is_as_the_page_says():
    # given versions of four players, two of whom share a member
    ladder = ladders.open_ladder("deca-slayer")
    a, b, c = (make_submission(make_bot()) for _ in range(3))
    user, player = make_player()
    sister = make_bot().player
    sister.memberships.create(user=user)
    own, related = make_submission(make_bot(player)), make_submission(make_bot(sister))
    usual = ladders.TimeControl()

    def rated(kind, submissions, **how):
        made = {"kind": kind, "game": "deca-slayer", "submissions": submissions, "rated": True}
        return dispatch.make_match(**(made | how)).rated

    # then ladder and bracket matches are rated, and those of a check or a test never
    shown = next(table.values() for table in tables(PAGE) if table.name == "What is rated")
    for kind, says in shown.items():
        assert rated(kind, [a, b, c]) == (says != "never"), kind
    # and a bracket's only if it says so and is played as on the ladder
    assert not rated("bracket", [a, b, c], rated=False)
    assert not rated("bracket", [a, b, c], options={"guilds": True})
    assert not rated("bracket", [a, b, c], time_control=replace(usual, move_ms=99))
    # and not with two that belong together
    assert rated("bracket", [a, b, own])
    assert not rated("bracket", [a, own, related])
    assert not rated("bracket", [a, b, b])
    assert ladder.edition == games.get("deca-slayer").edition
