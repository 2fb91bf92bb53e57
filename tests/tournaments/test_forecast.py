"""What a bracket will take: counted by hand, and measured from matches that were played."""

from datetime import timedelta

import pytest

from bots.faults import UserFault
from tests.playing import play_out
from tests.tournaments.fields import bots, field_of_bots
from tournaments import forecast, lifecycle, seasons
from tournaments.models import Attempt, Match, Play

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def counted(bracket):
    found = forecast.forecast(bracket)
    return found.matches, found.plays


@pytest.mark.parametrize(
    ("count", "format", "rules", "matches", "plays"),
    [
        (5, "round-robin", {"table_size": 2}, 10, 20),
        (5, "round-robin", {"table_size": 2, "double": True, "deals": 3}, 60, 120),
        (4, "round-robin", {"table_size": 4, "match_days": 6}, 6, 24),
        (9, "swiss", {"table_size": 4, "rounds": 2, "deals": 2}, 12, 36),
        (9, "swiss", {"table_size": 4, "rounds": 2, "rotations": 2}, 6, 12),
        (8, "single-elimination", {"table_size": 2, "deals": 5, "sequential": False}, 35, 70),
        (8, "double-elimination", {"table_size": 2, "deals": 1, "sequential": False}, 15, 30),
        (8, "groups", {"table_size": 2, "groups": 2}, 12, 24),
    ],
)
def test_matches_and_plays_are_counted(count, format, rules, matches, plays):
    bracket, _ = field_of_bots(count, format=format, rules=rules)
    assert counted(bracket) == (matches, plays)


def test_it_is_what_is_drawn_then():
    bracket, _ = field_of_bots(7, format="round-robin", rules={"table_size": 3})
    matches, plays = counted(bracket)
    lifecycle.start(bracket=bracket, user=None)
    assert Match.objects.count() == matches
    assert sum(Match.objects.values_list("rotations", flat=True)) == plays


def test_a_later_stage_counts_with_those_who_go_on():
    bracket, _ = field_of_bots(
        8,
        stages=[
            {"format": "groups", "rules": {"groups": 2, "table_size": 2, "advance": 4}},
            {"format": "single-elimination", "rules": {"table_size": 2, "deals": 30}},
        ],
    )
    found = forecast.forecast(bracket)
    assert (found.matches, found.plays) == (12 + 3 * 30, 2 * (12 + 3 * 30))
    assert "At most" in found.basis


def test_without_a_match_it_says_that_nothing_is_known(worker):
    bracket, _ = field_of_bots(4, format="round-robin", rules={"table_size": 2})
    found = forecast.forecast(bracket)
    assert (found.cpu_s, found.wall_s) == (None, None)
    assert "nothing is known" in found.basis


def test_time_is_measured_from_the_last_matches(worker):
    bracket, _ = field_of_bots(4, format="round-robin", rules={"table_size": 2})
    lifecycle.start(bracket=bracket, user=None)
    match = play_out(Match.objects.filter(state="queued").first(), worker)
    # Two plays of two: 0.5 s of CPU for each seat, and 6 s by the clock for the whole match.
    Play.objects.filter(match=match).update(cpu_ms=[500, 500])
    attempt = Attempt.objects.get(match=match)
    attempt.ended_at = attempt.started_at + timedelta(seconds=6)
    attempt.save()
    found = forecast.forecast(bracket)
    # 6 matches with 4 seats in plays each; 1.5 s a seat; two at once, in three rounds.
    assert found.cpu_s == pytest.approx(6 * 4 * 0.5)
    assert (found.workers, found.slots) == (1, 2)
    assert found.wall_s == pytest.approx(3 * 6)
    assert "last 1 matches of Demonslayer" in found.basis


def test_without_a_worker_there_is_no_time():
    bracket, _ = field_of_bots(4, format="round-robin", rules={"table_size": 2})
    found = forecast.forecast(bracket)
    assert (found.wall_s, found.workers) == (None, 0)
    assert "No worker lives" in found.basis


def test_too_few_entries_are_a_clear_error():
    bracket, _ = field_of_bots(1, format="round-robin", rules={"table_size": 2})
    with pytest.raises(UserFault, match="Stage 1 cannot be drawn"):
        forecast.forecast(bracket)


def test_a_seasons_days_are_those_that_it_plays():
    season = seasons.create_season(
        slug="w", title="W", game="kunlun", organiser=None, rated=False,
        rules={"division_size": 4, "table_size": 2, "match_days": 6, "playoff": True,
               "playoff_deals": 3},
    )  # fmt: skip
    for bot in bots(12):
        seasons.enter_season(season=season, bot=bot, user=None)
    found = forecast.forecast_season(season)
    # Three divisions, twelve tables each, and a play-off of three deals at both borders.
    assert found.matches == 3 * 12 + 2 * 3
    assert found.plays == 2 * found.matches
