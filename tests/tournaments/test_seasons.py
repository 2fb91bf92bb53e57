"""Seasons: divisions, match days, who leaves and who comes late, promotion, the next season."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bots import submissions
from bots.faults import Conflict, NotAllowed, UserFault
from bots.models import Act, Notice
from tests.builders import make_player
from tests.playing import play_out
from tests.tournaments.chosen import settle_all
from tests.tournaments.fields import bots, version_of
from tests.tournaments.rows import entrant, rated
from tournaments import brackets, lifecycle, seasons
from tournaments.models import Bracket, MatchDay, Round, Season, SeasonEntry, Table, TableSeat

pytestmark = [pytest.mark.django_db, pytest.mark.db]

RULES = {"division_size": 4, "match_days": 6, "table_size": 2}


def season_of(count, *, late=0, **changes):
    """A season of Kunlun with `count` entries, strengths by submission, and bots for later."""
    rules = {**RULES, **changes}
    season = seasons.create_season(
        slug="winter", title="Winter", game="kunlun", rules=rules, organiser=None, rated=False
    )
    made = bots(count + late)
    for bot in made[:count]:
        seasons.enter_season(season=season, bot=bot, user=None)
    strength = {bot.active_id: float(-number) for number, bot in enumerate(made, 1)}
    return season, strength, made


def play(season, strength, until="finished", most=100):
    for _ in range(most):
        for pk in Bracket.objects.filter(state="running").values_list("pk", flat=True):
            lifecycle.advance_bracket(pk)
        seasons.advance()
        season.refresh_from_db()
        if season.state == until:
            return
        settle_all(strength)
    raise AssertionError(f"it stays {season.state}")


def play_days(season, strength, days):
    """Play until so many match days of the season are closed."""
    while Round.objects.filter(match_day__season=season, closed_at=None).exists():
        last = Round.objects.filter(match_day__season=season).order_by("-number").first()
        if last.number > days:
            return
        settle_all(strength, table__round__number=last.number)
        for pk in Bracket.objects.filter(state="running").values_list("pk", flat=True):
            lifecycle.advance_bracket(pk)


def by_level(season):
    return [
        [entry.bot.name for entry in division.entries.order_by("place", "id")]
        for division in season.divisions.order_by("level")
    ]


def outcomes(season):
    return {entry.bot.name: entry.outcome for entry in season.entries.select_related("bot")}


def test_three_divisions_play_six_match_days_and_change_places():
    season, strength, _ = season_of(12)
    seasons.start_season(season=season, user=None)
    # Unrated bots are in divisions as they entered.
    assert by_level(season) == [
        ["b1", "b2", "b3", "b4"], ["b5", "b6", "b7", "b8"], ["b9", "b10", "b11", "b12"],
    ]  # fmt: skip
    assert MatchDay.objects.filter(season=season).count() == 6
    # The lowest division is turned over: the last is the strongest there.
    for number in range(9, 13):
        version = SeasonEntry.objects.get(bot__name=f"b{number}").submission_id
        strength[version] = float(number)
    play(season, strength)
    for division in season.divisions.all():
        rounds = division.bracket.stages.get().rounds.order_by("number")
        assert [round_.match_day.number for round_ in rounds] == [1, 2, 3, 4, 5, 6]
        assert [round_.tables.count() for round_ in rounds] == [2] * 6
        places = list(division.entries.order_by("place").values_list("points", flat=True))
        assert places == pytest.approx([1.0, 2 / 3, 1 / 3, 0.0])
    with pytest.raises(Conflict, match="past its match days"):
        lifecycle.void_table(table=Table.objects.first(), user=None, reason="too late")
    found = outcomes(season)
    assert found == {
        "b1": "champion", "b2": "stays", "b3": "stays", "b4": "relegated",
        "b5": "promoted", "b6": "stays", "b7": "stays", "b8": "relegated",
        "b12": "promoted", "b11": "stays", "b10": "stays", "b9": "stays",
    }  # fmt: skip
    lines = seasons.standings_of(season.divisions.get(level=3))
    assert [line.entry.bot.name for line in lines] == ["b12", "b11", "b10", "b9"]


def test_the_next_season_starts_from_the_divisions_of_the_last():
    season, strength, made = season_of(12, late=1)
    seasons.start_season(season=season, user=None)
    play(season, strength)
    following = seasons.roll_over(season=season, user=None, slug="spring", title="Spring")
    assert (following.number, following.previous, following.state) == (2, season, "entry")
    with pytest.raises(Conflict, match="next season already"):
        seasons.roll_over(season=season, user=None, slug="spring-2", title="Spring")
    # One of the second division goes home, and a new one comes: it starts at the bottom.
    leaver = following.entries.get(bot__name="b6")
    seasons.withdraw(entry=leaver, user=None, reason="studies")
    seasons.enter_season(season=following, bot=made[12], user=None)
    seasons.start_season(season=following, user=None)
    assert by_level(following) == [
        ["b1", "b2", "b3", "b5"], ["b4", "b7", "b9", "b8"], ["b10", "b11", "b12", "b13"],
    ]  # fmt: skip


def test_a_season_plays_off_at_its_borders():
    season, strength, _ = season_of(8, playoff=True, playoff_deals=2)
    seasons.start_season(season=season, user=None)
    play(season, strength, until="playoff")
    upper = season.divisions.get(level=1)
    names = [entry.bot.name for entry in upper.playoff.entries.order_by("seeding")]
    assert names == ["b3", "b6"]
    strength[SeasonEntry.objects.get(bot__name="b6").submission_id] = 99.0
    play(season, strength)
    assert outcomes(season) == {
        "b1": "champion", "b2": "stays", "b3": "relegated", "b4": "relegated",
        "b5": "promoted", "b6": "promoted", "b7": "stays", "b8": "stays",
    }  # fmt: skip


def test_divisions_are_by_ladder_rating(ladder):
    versions = [entrant() for _ in range(6)]
    for _ in range(4):
        rated(ladder, versions, [6, 5, 4, 3, 2, 1])
    season = seasons.create_season(
        slug="by-rating", title="By rating", game="deca-slayer", organiser=None,
        rules={"division_size": 3, "table_size": 3, "match_days": 2},
    )  # fmt: skip
    for version in versions:
        seasons.enter_season(season=season, bot=version.bot, user=None)
    seasons.start_season(season=season, user=None)
    levels = {
        entry.bot_id: entry.division.level for entry in season.entries.select_related("division")
    }
    assert [levels[version.bot_id] for version in versions] == [2, 2, 2, 1, 1, 1]
    assert season.entries.get(bot=versions[5].bot).rating_mu > 25


# ------------------------------------------------------------------ leaving and coming late


def test_who_leaves_before_half_of_its_tables_is_dropped_with_all_its_results():
    season, strength, _ = season_of(4)
    seasons.start_season(season=season, user=None)
    play_days(season, strength, 2)
    entry = season.entries.get(bot__name="b1")
    seasons.withdraw(entry=entry, user=None, reason="it hangs")
    entry.refresh_from_db()
    assert entry.dropped
    lines = seasons.standings_of(season.divisions.get())
    assert lines[-1].entry == entry
    assert (lines[-1].row.played, lines[-1].row.points) == (0, 0)
    # Its tables of two count for nobody; its open table goes on without it, that is, not at all.
    for table in Table.objects.filter(seats__entry__bot=entry.bot, closed_at__isnull=False):
        assert table.left_out
    play(season, strength)
    names = [line.entry.bot.name for line in seasons.standings_of(season.divisions.get())]
    assert names == ["b2", "b3", "b4", "b1"]
    points = [float(line.row.points) for line in seasons.standings_of(season.divisions.get())]
    assert points == [1.0, 0.5, 0.0, 0.0]
    assert outcomes(season) == {
        "b1": "withdrawn", "b2": "champion", "b3": "stays", "b4": "stays",
    }  # fmt: skip


def test_who_leaves_later_keeps_its_results():
    season, strength, _ = season_of(4)
    seasons.start_season(season=season, user=None)
    play_days(season, strength, 3)
    entry = season.entries.get(bot__name="b1")
    seasons.withdraw(entry=entry, user=None, reason="holiday")
    entry.refresh_from_db()
    assert not entry.dropped
    play(season, strength)
    rows = {line.entry.bot.name: line.row for line in seasons.standings_of(season.divisions.get())}
    # Three of three before, the one drawn then, and two that it misses.
    assert rows["b1"].played == 4
    assert float(rows["b1"].points) == pytest.approx(4 / 6)
    assert rows["b2"].played in (5, 6)  # it meets b1 once or twice before b1 goes
    assert season.entries.get(bot__name="b1").place == 4


def test_a_dropped_one_is_taken_out_of_its_tables_of_four(worker):
    season, _, _ = season_of(4, table_size=4, match_days=3)
    seasons.start_season(season=season, user=None)
    match = play_out(Table.objects.get().matches.get(), worker)
    lifecycle.advance_bracket(season.divisions.get().bracket_id)
    table = Table.objects.order_by("id").first()
    before = {seat.entry_id: seat.points for seat in table.seats.all()}
    assert set(before.values()) == {0.5}  # bots that are alike
    gone = season.entries.get(bot__name="b4")
    row = season.divisions.get().bracket.entries.get(bot=gone.bot)
    # The plays are written anew so that the one who goes won them all.
    number = match.contestants.get(submission=gone.submission).number
    for play_ in match.plays.all():
        order = sorted(range(4), key=lambda seat: (play_.seats[seat] != number, play_.seats[seat]))
        play_.places = [1 + order.index(seat) for seat in range(4)]
        play_.scores = [100 - 10 * place for place in play_.places]
        play_.save()
    seasons.disqualify(entry=gone, user=None, reason="a copy")
    points = {seat.entry_id: seat.points for seat in table.seats.all() if seat.entry_id != row.pk}
    others = {
        match.contestants.get(submission=seat.submission).number: points[seat.entry_id]
        for seat in table.seats.exclude(entry=row)
    }
    # Among the other three the order is that of their numbers: 1, 1/2, 0.
    assert [others[number] for number in sorted(others)] == [1.0, 0.5, 0.0]
    lines = seasons.standings_of(season.divisions.get())
    assert [float(line.row.points) for line in lines] == [1.0, 0.5, 0.0, 0.0]
    assert Act.objects.get(verb="disqualify").reason == "a copy"


def test_a_late_entrant_joins_the_lowest_division_and_its_missed_tables_count_nothing():
    season, strength, made = season_of(8, late=2)
    seasons.start_season(season=season, user=None)
    play_days(season, strength, 1)
    late = seasons.enter_season(season=season, bot=made[8], user=None)
    assert (late.division.level, late.first_day) == (2, 3)
    play(season, strength)
    met = set()
    for table in Table.objects.filter(seats__entry__bot=late.bot):
        met |= {seat.entry.bot.name for seat in table.seats.all()}
        assert table.round.number >= 3
    assert met == {"b5", "b6", "b7", "b8", "b9"}
    row = {line.entry: line.row for line in seasons.standings_of(late.division)}[late]
    assert row.played < 6
    assert not row.withdrawn


def test_before_the_first_match_day_a_late_entrant_misses_nothing():
    day = {"starts_at": "2127-02-01T18:00:00Z"}
    season, _, made = season_of(4, late=1, match_days=1, late_until=1, calendar=[day])
    seasons.start_season(season=season, user=None)
    late = seasons.enter_season(season=season, bot=made[4], user=None)
    assert late.first_day == 1
    seasons.postpone(
        match_day=season.match_days.get(), user=None, starts_at=timezone.now(), reason="now"
    )
    lifecycle.advance_bracket(season.divisions.get().bracket_id)
    assert TableSeat.objects.filter(entry__bot=late.bot).count() == 4


def test_nobody_comes_after_half_of_the_season():
    season, strength, made = season_of(4, late=1)
    seasons.start_season(season=season, user=None)
    play_days(season, strength, 3)
    with pytest.raises(Conflict, match="match day 3 at the latest"):
        seasons.enter_season(season=season, bot=made[4], user=None)
    assert season.entries.count() == 4
    assert season.divisions.get().bracket.entries.count() == 4


def test_owners_and_organisers_only():
    season, _, made = season_of(2, late=1)
    stranger, _ = make_player()
    owner = made[0].player.members.get()
    with pytest.raises(NotAllowed):
        seasons.enter_season(season=season, bot=made[2], user=stranger)
    seasons.enter_season(season=season, bot=made[2], user=owner)
    with pytest.raises(NotAllowed):
        seasons.start_season(season=season, user=owner)
    with pytest.raises(NotAllowed):
        seasons.withdraw(entry=season.entries.first(), user=stranger, reason="spite")
    with pytest.raises(NotAllowed):
        seasons.create_season(slug="x", title="X", game="kunlun", rules={}, organiser=owner)
    seasons.start_season(season=season, user=None)
    with pytest.raises(NotAllowed):
        seasons.disqualify(entry=season.entries.first(), user=owner, reason="rival")
    row = season.divisions.get().bracket.entries.first()
    with pytest.raises(Conflict, match="belongs to a season"):
        lifecycle.disqualify(entry=row, user=None, reason="by the side door")
    with pytest.raises(Conflict, match="belongs to a season"):
        brackets.withdraw(entry=row, user=None, reason="by the side door")


# ------------------------------------------------------------------ calendar and versions


def test_a_match_day_is_drawn_when_it_starts_and_closes_at_its_deadline():
    start = timezone.now() - timedelta(minutes=1)
    season = seasons.create_season(
        slug="dated", title="Dated", game="kunlun", organiser=None, starts_at=start,
        rules={**RULES, "match_days": 2, "day_minutes": 60},
    )  # fmt: skip
    made = bots(4)
    for bot in made:
        seasons.enter_season(season=season, bot=bot, user=None)
    seasons.advance()  # it is due, so it starts by itself
    season.refresh_from_db()
    assert season.state == "running"
    bracket = season.divisions.get().bracket
    first, second = season.match_days.all()
    assert (first.deadline, second.starts_at) == (second.starts_at, first.deadline)
    assert Round.objects.get().deadline == first.deadline
    settle_all({bot.active_id: -bot.pk for bot in made})
    lifecycle.advance_bracket(bracket.pk)
    assert Round.objects.filter(closed_at__isnull=False).count() == 1
    assert Round.objects.count() == 1  # the second day is not there yet
    seasons.postpone(
        match_day=second, user=None, starts_at=timezone.now() - timedelta(seconds=1),
        reason="everybody is here",
    )  # fmt: skip
    lifecycle.advance_bracket(bracket.pk)
    assert Round.objects.count() == 2
    later = timezone.now() + timedelta(days=2)
    seasons.postpone(match_day=second, user=None, deadline=later, reason="slow workers")
    assert Round.objects.order_by("number").last().deadline == later
    with pytest.raises(Conflict, match="drawn already"):
        seasons.postpone(match_day=second, user=None, starts_at=later, reason="no")


def test_a_season_that_cannot_start_by_itself_tells_its_organiser_once():
    user, _ = make_player()
    user.is_staff = True
    user.save()
    season = seasons.create_season(
        slug="empty", title="Empty", game="kunlun", organiser=user, rules=RULES,
        starts_at=timezone.now(),
    )  # fmt: skip
    for _ in range(3):
        seasons.advance()
    assert Season.objects.get().state == "entry"
    assert "needs at least 2" in Notice.objects.get(user=user, kind="season-stuck").text
    assert season.brackets.count() == 0


def test_entries_may_take_the_active_version_at_each_rounds_start():
    season, strength, made = season_of(2, follow_active=True, match_days=2)
    seasons.start_season(season=season, user=None)
    older, newer = made[0].active_id, version_of(made[0], 2)
    newer.save()
    submissions.activate(newer, user=None)
    strength[newer.pk] = 0.0
    play(season, strength)
    played = TableSeat.objects.filter(entry__bot=made[0]).order_by("table__round__number")
    assert [seat.submission_id for seat in played] == [older, newer.pk]


@pytest.mark.parametrize(
    ("rules", "field", "says"),
    [
        ({"size": 4}, "rules", "division_size"),
        ({"match_days": 0}, "rules.match_days", "1 to 50"),
        ({"up": 1, "down": 2}, "rules.down", "equal"),
        ({"up": 3}, "rules.up", "0 to 2"),
        ({"table_size": 9}, "rules.table_size", "2 to 4"),
        ({"playoff": True, "division_size": 3}, "rules.playoff", "4 entrants or more"),
        ({"late_until": 9}, "rules.late_until", "0 to 6"),
        ({"calendar": []}, "rules.calendar", "6 match days"),
        (
            {"match_days": 1, "calendar": [{"starts_at": "soon"}]},
            "rules.calendar",
            "2027-01-31T18:00:00Z",
        ),
        (
            {
                "match_days": 2,
                "calendar": [
                    {"starts_at": "2027-02-01T10:00:00Z"},
                    {"starts_at": "2027-01-01T10:00:00Z"},
                ],
            },
            "rules.calendar",
            "before the one before",
        ),
        (
            {
                "match_days": 1,
                "calendar": [
                    {"starts_at": "2027-02-01T10:00:00Z", "deadline": "2027-02-01T10:00:00Z"}
                ],
            },
            "rules.calendar",
            "ends before it starts",
        ),
    ],
)
def test_bad_rules_are_refused_and_nothing_is_made(rules, field, says):
    with pytest.raises(UserFault, match=says) as caught:
        seasons.create_season(slug="bad", title="Bad", game="kunlun", rules=rules, organiser=None)
    assert caught.value.field == field
    assert not Season.objects.exists()


def test_a_calendar_says_when_each_day_is():
    days = [
        {"starts_at": "2027-02-01T18:00:00+01:00", "deadline": "2027-02-01T22:00:00+01:00"},
        {"starts_at": "2027-02-08T18:00:00+01:00", "deadline": None},
    ]
    season, _, _ = season_of(2, match_days=2, calendar=days)
    seasons.start_season(season=season, user=None)
    first, second = season.match_days.all()
    assert first.starts_at.isoformat() == "2027-02-01T17:00:00+00:00"
    assert second.deadline is None
    assert Round.objects.count() == 0  # both are to come
