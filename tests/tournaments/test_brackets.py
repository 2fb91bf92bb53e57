import pytest

from bots import submissions
from bots.faults import Conflict, NotAllowed, UserFault
from bots.models import Act
from tests.builders import make_bot, make_player, make_submission
from tournaments import brackets
from tournaments.models import Bracket, Entry

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def new(**changes):
    return brackets.create_bracket(
        **{
            "slug": "cup",
            "title": "The Cup",
            "game": "deca-slayer",
            "format": "swiss",
            "rules": {"rounds": 3},
            "organiser": None,
        }
        | changes
    )


def active_bot(player=None):
    submission = make_submission(make_bot(player))
    submissions.activate(submission, user=None)
    submission.bot.refresh_from_db()
    return submission.bot


def test_a_brackets_rules_are_complete_and_shown():
    bracket = new(rules={"rounds": 3, "table_size": 4}, options={"princesses": 1})
    assert bracket.options == {"guilds": False, "princesses": 1}
    assert bracket.time_control == {"start_ms": 5000, "move_ms": 100, "bank_ms": 5000}
    assert bracket.stages.get().rules == {
        "table_size": 4,
        "min_size": 3,
        "deals": 1,
        "rotations": 0,
        "rounds": 3,
        "round_minutes": None,
        "ruleset": "own",
        "accelerated": False,
        "seeding": "ladder",
        "advance": None,
        "tie_breaks": [
            "head-to-head", "mean-opponents", "sonneborn-berger", "margin", "wins",
        ],
    }  # fmt: skip
    assert Act.objects.get().target == "bracket cup"


def test_tables_of_three_in_a_game_for_three_have_no_short_tables():
    assert new(rules={"rounds": 3, "table_size": 3}).stages.get().rules["min_size"] == 3


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"slug": "The Cup"}, "slug", "lower-case"),
        ({"title": " "}, "title", "title"),
        ({"game": "chess"}, "game", "deca-slayer"),
        ({"format": "ladder"}, "format", "round-robin, swiss"),
        ({"rules": {}}, "rules.rounds", "1 to 50"),
        ({"rules": {"rounds": True}}, "rules.rounds", "whole number"),
        ({"rules": {"rounds": 3, "tabel_size": 4}}, "rules", "table_size"),
        ({"rules": {"rounds": 3, "table_size": 2}}, "rules.table_size", "3 to 6"),
        ({"rules": {"rounds": 3, "table_size": 4, "min_size": 5}}, "rules.min_size", "3 to 4"),
        ({"rules": {"rounds": 3, "tie_breaks": ["luck"]}}, "rules.tie_breaks", "wins"),
        ({"rules": {"rounds": 3, "tie_breaks": ["buchholz"]}}, "rules.tie_breaks", "of two"),
        ({"format": "round-robin", "rules": {"rounds": 3}}, "rules.rounds", "as it needs"),
        ({"format": "round-robin", "rules": {"groups": 2}}, "rules", "match_days"),
        ({"format": "groups", "rules": {}}, "rules.groups", "2 to 1000"),
        ({"format": "groups", "rules": {"groups": 2, "double": 1}}, "rules.double", "true or"),
        ({"rules": {"rounds": 3, "ruleset": "fide"}}, "rules.ruleset", "own, fide-dutch-2026"),
        ({"rules": {"rounds": 3, "seeding": None}}, "rules.seeding", "ladder, drawn, given"),
        ({"rules": {"rounds": 3, "advance": 4}}, "rules.advance", "another one follows"),
        (
            {"rules": {"rounds": 3, "ruleset": "fide-dutch-2026"}},
            "rules.ruleset",
            "tables of two, not of 4",
        ),
        (
            {"format": "single-elimination", "rules": {"deals": 5, "least_deals": 6}},
            "rules.least_deals",
            "1 to 5",
        ),
        ({"format": None, "rules": None, "stages": []}, "stages", "1 to 5 stages"),
        ({"stages": [{"format": "swiss"}]}, "stages", "not both"),
        (
            {"format": None, "rules": None, "stages": [{"format": "swiss", "rule": {}}]},
            "stages",
            "Stage 1",
        ),
        (
            {
                "format": None,
                "rules": None,
                "stages": [
                    {"format": "swiss", "rules": {"rounds": 3}},
                    {"format": "single-elimination"},
                ],
            },
            "rules.advance",
            "Stage 1 needs",
        ),
        (
            {
                "format": None,
                "rules": None,
                "stages": [
                    {"format": "swiss", "rules": {"rounds": 3, "advance": 2}},
                    {"format": "single-elimination"},
                ],
            },
            "rules.advance",
            "at least 3",
        ),
        ({"options": {"guild": True}}, "options", "guilds"),
        ({"options": {"guilds": 1}}, "options", "True"),
        ({"time_control": {"move_ms": -1}}, "time_control", "move_ms"),
        ({"time_control": {"moves": 1}}, "time_control", "moves"),
    ],
)
def test_a_bad_bracket_is_refused_and_nothing_is_made(changes, field, says):
    with pytest.raises(UserFault, match=says) as caught:
        new(**changes)
    assert caught.value.field == field
    assert not Bracket.objects.exists()


def test_stages_are_numbered_and_each_has_its_own_rules():
    bracket = new(
        format=None,
        rules=None,
        stages=[
            {"format": "groups", "rules": {"groups": 3, "advance": 8}},
            {"format": "single-elimination", "rules": {"deals": 30, "third_place": True}},
        ],
    )
    groups, final = bracket.stages.all()
    assert (groups.number, groups.format) == (1, "groups")
    assert groups.rules["advance"] == 8
    assert (final.number, final.format) == (2, "single-elimination")
    # Without a word of the organiser's a table ends when it is decided, after 20 deals or more.
    assert {name: final.rules[name] for name in ("sequential", "least_deals", "deals")} == {
        "sequential": True,
        "least_deals": 20,
        "deals": 30,
    }
    assert final.rules["third_place"]


def test_only_organisers_make_brackets():
    user, _ = make_player()
    with pytest.raises(NotAllowed):
        new(organiser=user)
    user.is_staff = True
    assert new(organiser=user).organiser == user
    with pytest.raises(Conflict, match="already"):
        new()


def test_owners_enter_their_bots_with_the_active_version():
    user, player = make_player()
    stranger, _ = make_player()
    bot = active_bot(player)
    bracket = new()
    with pytest.raises(NotAllowed):
        brackets.enter(bracket=bracket, bot=bot, user=stranger)
    entry = brackets.enter(bracket=bracket, bot=bot, user=user)
    assert entry.submission == bot.active
    with pytest.raises(Conflict, match="entered already"):
        brackets.enter(bracket=bracket, bot=bot, user=user)
    with pytest.raises(Conflict, match="no active version"):
        brackets.enter(bracket=bracket, bot=make_bot(player), user=user)


def test_an_entry_may_follow_the_active_version():
    bot = active_bot()
    entry = brackets.enter(bracket=new(follow_active=True), bot=bot, user=None)
    assert entry.submission is None
    newer = make_submission(bot)
    submissions.activate(newer, user=None)
    assert brackets.playing_submission(Entry.objects.get()) == newer
    submissions.suspend(newer, reason="it fails")
    assert brackets.playing_submission(Entry.objects.get()) is None


def test_before_the_start_a_withdrawn_entry_is_gone():
    user, player = make_player()
    stranger, _ = make_player()
    entry = brackets.enter(bracket=new(), bot=active_bot(player), user=user)
    with pytest.raises(NotAllowed):
        brackets.withdraw(entry=entry, user=stranger, reason="spite")
    brackets.withdraw(entry=entry, user=user, reason="holiday")
    assert not Entry.objects.exists()
    assert Act.objects.filter(verb="withdraw", reason="holiday").exists()
