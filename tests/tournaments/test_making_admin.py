"""The admin's forms for brackets and seasons: what they make, and what they say."""

from datetime import UTC, datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from bots.models import Act, User
from tests.tournaments.rows import entrant
from tournaments import brackets
from tournaments.models import Bracket, Season

pytestmark = [pytest.mark.django_db, pytest.mark.db]

BRACKET = {
    "game": "deca-slayer",
    "slug": "cup",
    "title": "The Cup",
    "rated": "on",
    "stages": "swiss:rounds=3,table_size=4,tie_breaks=margin+wins,advance=4\n\n"
    "single-elimination:table_size=4",
}
SEASON = {
    "game": "deca-slayer",
    "slug": "league",
    "title": "League",
    "rules": "division_size=4\nmatch_days=3",
    "starts_at": "2027-01-31 18:00",
}


@pytest.fixture
def organiser(client):
    user = User.objects.create_superuser("organiser@example.org")
    client.force_login(user)
    return user


def make(client, what, **given):
    return client.post(reverse(f"admin:tournaments_{what}_add"), given)


def complaints(response):
    assert response.status_code == 200
    assert "Nothing was made" in response.content.decode()
    return {name: list(errors) for name, errors in response.context["form"].errors.items()}


def named(submission):
    return f"{submission.bot.player.handle}/{submission.bot.name}"


def test_a_bracket_of_two_stages_with_its_list(client, organiser):
    bots = [entrant() for _ in range(4)]
    csv = f"bot,seeding\n{named(bots[2])},2\n{named(bots[3])},1\n".encode()
    made = make(
        client,
        "bracket",
        **BRACKET,
        options="princesses=2",
        time_control="move_ms=500",
        entries=f"{named(bots[0])}\n\n  {named(bots[1])}\n",
        file=SimpleUploadedFile("list.csv", csv),
    )
    assert made.status_code == 302, complaints(made)
    bracket = Bracket.objects.get()
    assert made["Location"] == reverse("admin:tournaments_bracket_change", args=[bracket.pk])
    assert (bracket.slug, bracket.state, bracket.organiser) == ("cup", "draft", organiser)
    assert (bracket.rated, bracket.follow_active) == (True, False)
    assert bracket.options["princesses"] == 2
    assert bracket.time_control["move_ms"] == 500
    first, second = bracket.stages.all()
    assert (first.format, first.rules["rounds"], first.rules["advance"]) == ("swiss", 3, 4)
    assert first.rules["tie_breaks"] == ["margin", "wins"]
    assert second.format == "single-elimination"
    seeding = dict(bracket.entries.values_list("bot", "seeding"))
    assert seeding == {
        each.bot_id: place for each, place in zip(bots, [None, None, 2, 1], strict=True)
    }
    assert (
        "The bracket cup is open for entries; 4 entered"
        in client.get(made["Location"]).content.decode()
    )
    assert set(Act.objects.filter(user=organiser).values_list("verb", "target")) == {
        ("create", "bracket cup"),
        ("enter", "bracket cup"),
    }


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"stages": "swiss:rounds"}, "stages", "'rounds' should be NAME=VALUE"),
        ({"stages": "swiss:rounds=0"}, "stages", "rounds"),
        ({"stages": "league"}, "stages", "league"),
        ({"stages": " "}, "stages", "required"),
        ({"slug": "Not A Slug"}, "slug", "lower-case"),
        ({"options": "dragons=1"}, "options", "dragons"),
        ({"time_control": "move_ms=-1"}, "time_control", "move_ms"),
        ({"entries": "nobody/nothing"}, "entries", "line 1: "),
        ({"game": "chess"}, "game", "chess"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_made(
    client, organiser, changed, field, words
):
    response = make(client, "bracket", **{**BRACKET, **changed})
    found = complaints(response)
    assert list(found) == [field]
    assert words in " ".join(found[field])
    assert 'value="The Cup"' in response.content.decode()  # what was typed is kept
    assert not Bracket.objects.exists()
    assert not Act.objects.exists()


def test_one_wrong_entrant_makes_nothing(client, organiser):
    good = entrant()
    response = make(client, "bracket", **BRACKET, entries=f"{named(good)}\nada/wolf\n{named(good)}")
    found = complaints(response)["entries"]
    assert [each.partition(":")[0] for each in found] == ["line 2", "line 3"]
    assert not Bracket.objects.exists()


def test_a_name_that_is_taken(client, organiser):
    make(client, "bracket", **BRACKET)
    assert "already" in complaints(make(client, "bracket", **BRACKET))["slug"][0]


def test_a_season_with_its_list(client, organiser):
    bots = [entrant() for _ in range(3)]
    make(client, "season", **SEASON, entries="\n".join(map(named, bots)))
    season = Season.objects.get()
    assert (season.slug, season.state, season.rated) == ("league", "entry", False)
    assert (season.rules["division_size"], season.rules["match_days"]) == (4, 3)
    assert season.starts_at == datetime(2027, 1, 31, 18, tzinfo=UTC)
    assert set(season.entries.values_list("bot", flat=True)) == {each.bot_id for each in bots}


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"rules": "division_size=x"}, "rules", "division_size"),
        ({"rules": "divisions"}, "rules", "NAME=VALUE"),
        ({"starts_at": "soon"}, "starts_at", "date/time"),
        ({"entries": "a/b"}, "entries", "line 1"),
    ],
)
def test_a_season_that_cannot_be(client, organiser, changed, field, words):
    found = complaints(make(client, "season", **{**SEASON, **changed}))
    assert list(found) == [field]
    assert words in " ".join(found[field])
    assert not Season.objects.exists()


def test_bots_are_entered_into_a_draft(client, organiser):
    bracket = brackets.create_bracket(
        slug="cup",
        title="Cup",
        game="deca-slayer",
        format="swiss",
        rules={"rounds": 3},
        organiser=organiser,
    )
    bots = [entrant() for _ in range(3)]
    address = reverse("admin:tournaments_bracket_changelist")
    given = {"action": "enter", "_selected_action": [bracket.pk], "reason": "by mail"}
    for order, words in (
        (", ".join(map(named, bots)), "Entered into: 1"),
        ("", "name the bots that enter"),
        (named(bots[0]), "Nothing was entered"),
    ):
        page = client.post(address, {**given, "order": order}, follow=True)
        assert any(words in str(message) for message in page.context["messages"])
    assert bracket.entries.count() == 3


def test_making_needs_the_right_to(client):
    client.force_login(User.objects.create_user("helper@example.org", is_staff=True))
    for what in ("bracket", "season"):
        address = reverse(f"admin:tournaments_{what}_add")
        assert client.get(address).status_code == client.post(address, BRACKET).status_code == 403
    assert not Bracket.objects.exists()
