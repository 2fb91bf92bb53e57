"""Lists of entrants and files of brackets through the API."""

import csv
import io
import json
import random

import jsonschema
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from gacrux.pairingchecker import pairingchecker

from bots.models import Act
from tests.tournaments.chosen import run_to_the_end, settle_all
from tests.tournaments.conftest import broker  # noqa: F401 (a fixture)
from tests.tournaments.fields import bots, field_of_bots
from tests.tournaments.interchange.oracle import ask
from tournaments import brackets, lifecycle
from tournaments.interchange import drafts, trf
from tournaments.interchange.documents import bracket_document
from tournaments.models import Bracket

pytestmark = [pytest.mark.db, pytest.mark.django_db, pytest.mark.usefixtures("broker")]
SWISS = {"format": "swiss", "rules": {"rounds": 3, "table_size": 2, "seeding": "given"}}
MANY = "/api/v1/brackets/cup/entries/many/"


def made(**changes):
    return brackets.create_bracket(
        **{"slug": "cup", "title": "The Cup", "game": "kunlun", "organiser": None, **SWISS}
        | changes
    )


def played(count=4, **kw):
    bracket, strength = field_of_bots(count, **SWISS | kw)
    lifecycle.start(bracket=bracket, user=None, reason="go")
    run_to_the_end(bracket, strength)
    return bracket


def names(count):
    return [str(bot) for bot in bots(count)]


def test_a_list_of_five_hundred_is_entered_at_once(caller):
    made()
    rows = names(500)
    text = "bot,seeding\n" + "".join(f"{name},{n}\n" for n, name in enumerate(rows, start=1))
    organiser = caller("organise", staff=True)
    file = SimpleUploadedFile("entrants.csv", text.encode())
    with CaptureQueriesContext(connection) as seen:
        response = organiser.api.post(MANY, {"file": file}, format="multipart")
    assert len(seen) <= 20
    assert response.status_code == 201, response.content
    entries = response.json()
    assert [f"{each['player']}/{each['bot']}" for each in entries] == rows
    assert [each["seeding"] for each in entries] == list(range(1, 501))
    act = Act.objects.get(verb="enter")
    assert (act.user, act.target, act.reason) == (
        organiser.user, "bracket cup", "a list of 500",
    )  # fmt: skip


def test_one_wrong_row_keeps_everybody_out_and_each_is_reported(caller):
    made()
    good, other = names(2)
    foreign = names_of_another_game()
    values = [good, "nobody/nothing", good, {"bot": 10**9}, "nonsense", foreign, other]
    response = caller("organise", staff=True).api.post(MANY, {"entries": values})
    assert response.status_code == 400
    problem = response.json()
    assert problem["detail"].startswith("Nothing was entered: 5 of 7 rows are wrong (row 2: ")
    assert [(each["field"], each["message"]) for each in problem["errors"]] == [
        ("row 2", "there is no bot 'nobody/nothing' of kunlun"),
        ("row 3", f"{good} stands in row 1 already"),
        ("row 4", "there is no bot 1000000000"),
        ("row 5", "a bot is named player/bot, not 'nonsense'"),
        ("row 6", f"there is no bot {foreign!r} of kunlun"),
    ]
    assert not Bracket.objects.get().entries.exists()
    assert not Act.objects.filter(verb="enter").exists()


def names_of_another_game():
    [bot] = bots(1, "slawia")
    return str(bot)


def test_lists_are_an_organisers_and_for_drafts(caller):
    made()
    values = {"entries": names(2)}
    assert caller("organise", "submit").api.post(MANY, values).status_code == 403
    organiser = caller("organise", staff=True)
    assert organiser.api.post(MANY, {}).json()["errors"][0]["field"] == "entries"
    assert organiser.api.post(MANY, {"entries": "wolf"}).status_code == 400
    assert organiser.api.post(MANY, values).status_code == 201
    organiser.api.post("/api/v1/brackets/cup/start/")
    response = organiser.api.post(MANY, values)
    assert response.status_code == 409
    assert "entries are closed" in response.json()["detail"]


def test_a_report_of_another_program_enters_its_players(caller):
    made()
    one, two = names(2)
    text = trf.write(trf.Report("Elsewhere", (trf.Player(2, one), trf.Player(1, two))), 16)
    file = SimpleUploadedFile("field.trf", text.replace("\r\n", "\r").encode())
    organiser = caller("organise", staff=True)
    response = organiser.api.post(MANY, {"file": file}, format="multipart")
    assert response.status_code == 201, response.content
    assert {each["bot"]: each["seeding"] for each in response.json()} == {
        one.split("/")[1]: 2, two.split("/")[1]: 1,
    }  # fmt: skip


def test_the_document_is_of_its_schema_and_comes_back_as_a_draft(caller, visitor):
    bracket = played()
    response = visitor.get("/api/v1/brackets/cup/export.json", HTTP_ACCEPT="text/html")
    assert response["Content-Disposition"] == 'attachment; filename="cup.json"'
    document = json.loads(response.content)
    schema = visitor.get("/api/v1/schemas/bracket-1.json").json()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    assert [len(each["tables"]) for each in document["stages"][0]["rounds"]] == [2, 2, 2]
    assert document["acts"][-1]["reason"] == "go"
    standings = visitor.get("/api/v1/brackets/cup/standings/").json()
    assert [row["tie_breaks"] for row in document["stages"][0]["standings"]] == [
        row["tie_breaks"] for row in standings
    ]

    organiser = caller("organise", staff=True)
    again = organiser.api.post("/api/v1/brackets/import/?slug=cup-2", document)
    assert again.status_code == 201, again.content
    draft = Bracket.objects.get(slug="cup-2")
    assert (draft.state, draft.title) == ("draft", "The Cup")
    assert setting(draft) == setting(bracket)
    assert organiser.api.post("/api/v1/brackets/import/?slug=cup-2", document).status_code == 409
    assert caller("submit").api.post("/api/v1/brackets/import/", document).status_code == 403


def setting(bracket):
    """What an import carries over."""
    document = bracket_document(bracket)
    about = document["bracket"]
    return (
        {name: about[name] for name in ("title", "game", "options", "time_control", "rated")},
        [(stage["format"], stage["rules"]) for stage in document["stages"]],
        [(e["player"], e["bot"], e["version"], e["seeding"]) for e in document["entries"]],
    )


@pytest.mark.parametrize("seed", range(4))
def test_any_setting_comes_back_from_its_document(seed):
    dice = random.Random(seed)
    ties = dice.sample(["margin", "wins", "sonneborn-berger", "head-to-head", "buchholz"], 5)
    swiss = {
        "rounds": dice.randint(1, 50), "table_size": 2, "deals": dice.randint(1, 3),
        "tie_breaks": ties, "advance": 4, "accelerated": dice.random() < 0.5,
        "round_minutes": dice.choice([None, 30]),
    }  # fmt: skip
    knockout = {"third_place": dice.random() < 0.5, "table_size": 2, "deals": 30}
    bracket = brackets.create_bracket(
        slug="cup", title="Ü", game="kunlun", organiser=None, rated=dice.random() < 0.5,
        time_control={"move_ms": dice.randint(50, 100)},
        stages=[
            {"format": "swiss", "rules": swiss},
            {"format": "single-elimination", "rules": knockout},
        ],
    )  # fmt: skip
    document = json.loads(json.dumps(bracket_document(bracket)))
    again = drafts.draft_from(document=document, user=None, slug="cup-2")
    assert setting(again) == setting(bracket)


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"version": 2}, 400, "version"),
        ({"format": "chess"}, 400, "format"),
        ({"stages": []}, 400, "stages"),
        ({"bracket": {"slug": "a", "title": "A", "game": "chess"}}, 400, "game"),
        ({"bracket": {"slug": "a", "title": "A", "game": "kunlun", "edition": "0"}}, 409,
         "bracket.edition"),
        ({"entries": [{"player": "nobody", "bot": "nothing"}]}, 400, "row 1"),
        ({"entries": [{"player": "nobody"}]}, 400, "entries.0"),
    ],
)  # fmt: skip
def test_a_document_that_is_wrong_makes_nothing(caller, change, status, field):
    document = {
        "format": "slayer-league-bracket", "version": 1, "stages": [SWISS],
        "bracket": {"slug": "a", "title": "A", "game": "kunlun"}, **change,
    }  # fmt: skip
    response = caller("organise", staff=True).api.post("/api/v1/brackets/import/", document)
    assert response.status_code == status, response.content
    assert response.json()["errors"][0]["field"] == field
    assert not Bracket.objects.exists()


def test_sheets_and_reports_are_files(visitor):
    played()
    head, *rows = csv.reader(
        io.StringIO(visitor.get("/api/v1/brackets/cup/standings.csv").content.decode())
    )
    assert head[:4] == ["stage", "rank", "bot", "entry"]
    assert [row[1] for row in rows] == ["1", "2", "3", "4"]
    assert visitor.get("/api/v1/brackets/cup/tables.csv").content.count(b"\r\n") == 13
    assert b"player,bot,bot_id" in visitor.get("/api/v1/brackets/cup/entries.csv").content
    response = visitor.get("/api/v1/brackets/cup/report.trf")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    report = trf.read(response.content.decode())
    assert (report.name, report.played, len(report.players)) == ("The Cup", 3, 4)
    old = visitor.get("/api/v1/brackets/cup/report.trf?version=16").content
    assert b"XXR 3" in old
    assert visitor.get("/api/v1/brackets/cup/report.trf?stage=2").status_code == 400
    assert visitor.get("/api/v1/brackets/cup/report.trf?version=x").status_code == 400
    assert visitor.get("/api/v1/brackets/none/export.json").status_code == 404


def test_tables_of_three_have_no_report(visitor):
    made(rules={"rounds": 1, "table_size": 3})
    response = visitor.get("/api/v1/brackets/cup/report.trf")
    assert response.status_code == 400
    assert "TRF knows tables of two only; export it as JSON or CSV" in response.json()["detail"]


def test_gacrux_finds_the_rounds_of_a_fide_bracket_right_in_its_report(
    visitor, tmp_path, monkeypatch
):
    rules = SWISS["rules"] | {"ruleset": "fide-dutch-2026", "rounds": 4}
    bracket, strength = field_of_bots(9, format="swiss", rules=rules)
    lifecycle.start(bracket=bracket, user=None)
    settle_all(strength)
    lifecycle.advance()
    gone = bracket.entries.select_related("bot__player").order_by("id")[4]
    brackets.withdraw(entry=gone, user=None, reason="by mail")
    run_to_the_end(bracket, strength)
    file = tmp_path / "cup.trf"
    file.write_bytes(visitor.get("/api/v1/brackets/cup/report.trf").content)
    report = trf.read(file.read_text())
    assert report.type_code == "FIDE_DUTCH_2026"
    assert "Z" in {game.result for player in report.players for game in player.games}
    answer = ask(pairingchecker, file, monkeypatch, "-c")
    assert answer["status"]["code"] == 0, answer["status"]
    assert answer["pairingResult"]["check"] is True
