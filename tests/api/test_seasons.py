"""Seasons through the API, from their making to the next one."""

import csv
import io
import json

import jsonschema
import pytest

from bots.models import Act
from tests.tournaments.chosen import settle_all
from tests.tournaments.conftest import broker  # noqa: F401 (a fixture)
from tests.tournaments.fields import bots
from tournaments import lifecycle, seasons
from tournaments.models import Season

pytestmark = [pytest.mark.db, pytest.mark.django_db, pytest.mark.usefixtures("broker")]
LEAGUE = {
    "slug": "league-1", "title": "The First", "game": "kunlun",
    "rules": {"division_size": 3, "match_days": 2, "table_size": 2, "min_size": 2, "deals": 1},
}  # fmt: skip
HERE = "/api/v1/seasons/league-1"
WHY = {"reason": "because"}


def test_a_season_from_its_making_to_the_next(caller, visitor):
    organiser = caller("organise", staff=True)
    made = organiser.api.post("/api/v1/seasons/", LEAGUE)
    assert made.status_code == 201, made.content
    assert made.json()["rules"]["up"] == 1
    field = bots(6)
    response = organiser.api.post(f"{HERE}/entries/many/", {"entries": [b.pk for b in field]})
    assert response.status_code == 201, response.content
    assert [each["bot_id"] for each in response.json()] == [bot.pk for bot in field]
    started = organiser.api.post(f"{HERE}/start/").json()
    assert started["state"] == "running"
    assert [each["bracket"] for each in started["divisions"]] == ["league-1-d1", "league-1-d2"]
    assert [each["number"] for each in started["match_days"]] == [1, 2]
    strength = {bot.active_id: -float(number) for number, bot in enumerate(field)}
    for _ in range(4):
        settle_all(strength)
        lifecycle.advance()
        seasons.advance()
    upper, lower = visitor.get(f"{HERE}/standings/").json()
    assert [row["outcome"] for row in upper["standings"]] == ["champion", "stays", "relegated"]
    assert [row["zone"] for row in lower["standings"]] == ["promoted", "stays", "stays"]
    following = organiser.api.post(f"{HERE}/roll-over/", {"slug": "league-2", "title": "Next"})
    assert following.status_code == 201, following.content
    assert (following.json()["number"], following.json()["previous"]) == (2, "league-1")
    assert len(visitor.get("/api/v1/seasons/league-2/entries/").json()) == 6
    found = visitor.get("/api/v1/seasons/?state=finished").json()["results"]
    assert [each["slug"] for each in found] == ["league-1"]
    inner = visitor.get("/api/v1/brackets/?season=league-1").json()["results"]
    assert {each["slug"] for each in inner} == {"league-1-d1", "league-1-d2"}


def test_files_of_a_season(visitor):
    season = seasons.create_season(**LEAGUE, organiser=None)
    for bot in bots(6):
        seasons.enter_season(season=season, bot=bot, user=None)
    for _ in range(2):  # before and after the start
        document = json.loads(visitor.get(f"{HERE}/export.json").content)
        jsonschema.validate(document, visitor.get("/api/v1/schemas/season-1.json").json())
        if season.state == "entry":
            assert document["divisions"] == []
            seasons.start_season(season=season, user=None)
            season.refresh_from_db()
    assert [division["bracket"] for division in document["divisions"]] == [
        "league-1-d1", "league-1-d2",
    ]  # fmt: skip
    head, *rows = csv.reader(io.StringIO(visitor.get(f"{HERE}/standings.csv").content.decode()))
    assert head[:4] == ["level", "division", "rank", "bot"]
    assert [row[0] for row in rows] == ["1", "1", "1", "2", "2", "2"]
    assert visitor.get("/api/v1/seasons/none/export.json").status_code == 404


def test_owners_enter_and_leave_and_organisers_rule(caller):
    season = seasons.create_season(**LEAGUE, organiser=None)
    field = bots(6)
    owner = field[0].player.members.get()
    client = caller("submit").api
    client.force_authenticate(owner)
    entered = client.post(f"{HERE}/entries/", {"bot": field[0].pk})
    assert entered.status_code == 201, entered.content
    assert caller("submit").api.post(f"{HERE}/entries/", {"bot": field[1].pk}).status_code == 403
    assert client.post(f"{HERE}/entries/", {"bot": 0}).status_code == 400
    left = client.post(f"{HERE}/entries/{entered.json()['id']}/withdraw/", WHY)
    assert left.status_code == 204
    assert not season.entries.exists()
    organiser = caller("organise", "submit", staff=True)
    organiser.api.post(f"{HERE}/entries/many/", {"entries": [str(bot) for bot in field]})
    organiser.api.post(f"{HERE}/start/")
    entry = season.entries.last()
    gone = organiser.api.post(f"{HERE}/entries/{entry.pk}/disqualify/", WHY)
    assert gone.status_code == 204, gone.content
    moved = organiser.api.post(
        f"{HERE}/match-days/2/postpone/", WHY | {"starts_at": "2099-01-01T00:00:00Z"}
    )
    assert moved.status_code == 200, moved.content
    assert moved.json()["match_days"][1]["starts_at"] == "2099-01-01T00:00:00Z"
    assert organiser.api.post(f"{HERE}/match-days/9/postpone/", WHY).status_code == 404
    assert organiser.api.post(f"{HERE}/entries/0/withdraw/", WHY).status_code == 404
    acts = Act.objects.filter(target__endswith="season league-1").order_by("id")
    verbs = list(acts.values_list("verb", flat=True))
    assert verbs == ["create", "withdraw", "enter", "start", "disqualify", "postpone"]


@pytest.mark.parametrize(
    "act", ["start", "entries/many", "roll-over", "match-days/1/postpone", "entries/1/disqualify"]
)
def test_no_act_is_for_others(caller, act):
    seasons.create_season(**LEAGUE, organiser=None)
    body = WHY | {"slug": "a", "title": "A", "entries": []}
    assert caller("organise").api.post(f"{HERE}/{act}/", body).status_code == 403
    assert caller("submit", staff=True).api.post(f"{HERE}/{act}/", body).status_code == 403
    assert caller("organise").api.post("/api/v1/seasons/", LEAGUE).status_code == 403
    assert Season.objects.get().state == "entry"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rules": {"divison_size": 4}}, "rules"),
        ({"rules": {"up": 2, "down": 1}}, "rules.down"),
        ({"game": "chess"}, "game"),
        ({"slug": "No"}, "slug"),
        ({"starts_at": "tomorrow"}, "starts_at"),
    ],
)
def test_a_bad_season_is_a_problem_with_its_field(caller, change, field):
    response = caller("organise", staff=True).api.post("/api/v1/seasons/", LEAGUE | change)
    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == field
