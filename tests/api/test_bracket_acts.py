"""The organiser's acts on brackets through the API: each is done, logged, and his alone."""

from datetime import timedelta

import pytest
from django.utils.timezone import now

from bots.models import Act
from tests.tournaments.chosen import settle_all
from tests.tournaments.conftest import broker  # noqa: F401 (a fixture)
from tests.tournaments.fields import field_of_bots
from tournaments import lifecycle
from tournaments.models import Bracket, Table

pytestmark = [pytest.mark.db, pytest.mark.django_db, pytest.mark.usefixtures("broker")]
RULES = {"rounds": 3, "table_size": 2, "seeding": "given", "round_minutes": 60}
CUP = "/api/v1/brackets/cup"
WHY = {"reason": "because"}


@pytest.fixture
def cup():
    bracket, strength = field_of_bots(4, format="swiss", rules=RULES)
    bracket.strength = strength
    return bracket


def entries(cup):
    return list(cup.entries.order_by("id").values_list("pk", flat=True))


def acts():
    """All but the making, and what an act did to matches."""
    rows = Act.objects.filter(target__endswith="bracket cup").order_by("id")
    return list(rows.values_list("verb", "target"))[1:]


def test_a_bracket_of_two_stages_is_made(caller):
    organiser = caller("organise", staff=True)
    body = {
        "slug": "open", "title": "Open", "game": "kunlun",
        "stages": [
            {"format": "groups", "rules": {"groups": 2, "advance": 4, "table_size": 2}},
            {"format": "double-elimination", "rules": {"table_size": 2}},
        ],
    }  # fmt: skip
    response = organiser.api.post("/api/v1/brackets/", body)
    assert response.status_code == 201, response.content
    first, second = response.json()["stages"]
    assert (first["number"], first["rules"]["groups"], first["rules"]["double"]) == (1, 2, False)
    assert (second["number"], second["rules"]["sequential"]) == (2, True)
    both = body | {"slug": "b", "format": "swiss", "rules": {"rounds": 1}}
    assert organiser.api.post("/api/v1/brackets/", both).status_code == 400


def test_seeds_rules_and_start(caller, cup):
    organiser = caller("organise", staff=True)
    order = entries(cup)[::-1]
    response = organiser.api.post(f"{CUP}/reseed/", WHY | {"order": order})
    assert response.status_code == 200, response.content
    assert list(cup.entries.order_by("seeding").values_list("pk", flat=True)) == order
    short = organiser.api.post(f"{CUP}/reseed/", WHY | {"order": order[:2]})
    assert short.json()["errors"][0]["field"] == "order"
    changed = organiser.api.post(f"{CUP}/rules/", WHY | {"rules": {"rounds": 2}})
    assert changed.json()["stages"][0]["rules"]["rounds"] == 2
    assert organiser.api.post(f"{CUP}/start/").json()["stages"][0]["field"] == order
    late = organiser.api.post(f"{CUP}/reseed/", WHY | {"order": order})
    assert late.status_code == 409
    drawn = organiser.api.post(f"{CUP}/rules/", WHY | {"rules": {"table_size": 3}})
    assert drawn.status_code == 409
    assert acts() == [
        ("reseed", "bracket cup"), ("change-rules", "stage 1 of bracket cup"),
        ("start", "bracket cup"),
    ]  # fmt: skip


def test_rulings_on_entries_tables_and_rounds(caller, cup):
    organiser = caller("organise", staff=True)
    organiser.api.post(f"{CUP}/start/")
    until = now() + timedelta(hours=5)
    round_ = f"{CUP}/stages/1/rounds/1"
    extended = organiser.api.post(f"{round_}/extend/", WHY | {"deadline": until.isoformat()})
    assert extended.status_code == 200, extended.content
    assert cup.stages.get().rounds.get().deadline == until
    past = WHY | {"deadline": (now() - timedelta(hours=1)).isoformat()}
    assert organiser.api.post(f"{round_}/extend/", past).json()["errors"][0]["field"] == "deadline"
    settle_all(cup.strength)
    lifecycle.advance()
    assert organiser.api.post(f"{round_}/tables/1/void/", WHY).status_code == 200
    assert Table.objects.get(round__number=1, number=1).left_out
    worst = entries(cup)[3]
    gone = organiser.api.post(f"{CUP}/entries/{worst}/disqualify/", WHY)
    assert gone.status_code == 204, gone.content
    assert cup.entries.get(pk=worst).disqualified
    assert organiser.api.post(f"{CUP}/pause/", WHY).json()["state"] == "paused"
    assert organiser.api.post(f"{CUP}/resume/").json()["state"] == "running"
    verbs = [verb for verb, _ in acts()]
    assert verbs == ["start", "extend", "void", "disqualify", "pause", "resume"]
    for address in ("stages/2/rounds/1", "stages/1/rounds/9"):
        assert organiser.api.post(f"{CUP}/{address}/extend/", past).status_code == 404
    assert organiser.api.post(f"{round_}/tables/99/void/", WHY).status_code == 404


@pytest.mark.parametrize(
    "act",
    ["start", "pause", "resume", "reseed", "rules", "entries/{entry}/disqualify", "entries/many",
     "stages/1/rounds/1/extend", "stages/1/rounds/1/tables/1/void"],
)  # fmt: skip
def test_no_act_is_for_others(caller, cup, act):
    address = f"{CUP}/{act.format(entry=entries(cup)[0])}/"
    body = WHY | {"order": [], "rules": {}, "deadline": "2027-01-01T00:00:00Z", "entries": []}
    assert caller("organise", "submit").api.post(address, body).status_code == 403
    assert caller("submit", staff=True).api.post(address, body).status_code == 403
    assert Bracket.objects.get().state == "draft"
    assert acts() == []


def test_rounds_and_standings_of_a_stage(visitor, cup):
    lifecycle.start(bracket=cup, user=None)
    settle_all(cup.strength)
    lifecycle.advance()
    assert [each["number"] for each in visitor.get(f"{CUP}/rounds/").json()] == [1, 2]
    [only] = visitor.get(f"{CUP}/rounds/?stage=1&round=2").json()
    assert only["number"] == 2
    assert visitor.get(f"{CUP}/rounds/?round=x").status_code == 400
    assert visitor.get(f"{CUP}/standings/?stage=2").status_code == 404
    first = visitor.get(f"{CUP}/standings/?stage=1").json()[0]
    assert (first["rank"], first["group"], first["points"]) == (1, 0, 1.0)
