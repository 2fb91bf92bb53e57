"""The page of files: what can be had where, and its commands against a server."""

import json
import re

import pytest
from django.urls import resolve

from tests.frontend import docs_commands
from tests.frontend.docs_reader import code, plain, tables, words_of
from tests.frontend.docs_shell import Shell
from tests.tournaments.chosen import run_to_the_end
from tests.tournaments.conftest import broker  # noqa: F401 (a fixture)
from tests.tournaments.fields import field_of_bots
from tournaments import lifecycle
from tournaments.interchange import trf
from tournaments.interchange.entrants import read_entrants
from tournaments.models import Bracket


def check_addresses(table):
    for kind, address, _ in table.rows:
        path = plain(address).replace("SLUG", "cup")
        assert resolve(f"/api/v1/{path}")
        assert path.endswith(kind.lower())


def check_report(table):
    """Tested value by value in the tests of the report; here that the page names all results."""
    named = {mark for cell in table.column(0) for mark in re.findall(r"`(.)`", cell)}
    assert named == {"U", "H", "Z", "+", "-"}


CHECKS = {"What can be had": check_addresses, "TRF": check_report}


@pytest.mark.parametrize("table", tables("files.md"), ids=str)
def test_table(table):
    CHECKS[table.name](table)


def test_facts_in_the_text():
    text = words_of("files.md")
    assert f"more than {trf.MOST_PLAYERS} entries" in text
    for example in (b'["ada/wolf", 17, {"bot": "ada/wolf", "seeding": 1}]',):
        assert len(read_entrants(example, "json")) == 3
    for record in ("XXR 5", "XXC white1", "XXS WW=1", "XXA    1  1.0", "XXP 1 2", "XXZ 1", "BBW 1"):
        assert f"`{record[:3]}`" in text
        assert trf.read(f"001    1\n001    2\n{record}\n").others == ()


@pytest.mark.usefixtures("broker")
@pytest.mark.django_db(transaction=True)
def test_files_come_and_go_by_the_commands_of_the_page(live_server, tmp_path, monkeypatch):
    bracket, strength = field_of_bots(
        4, slug="summer-cup", format="swiss", rules={"rounds": 2, "table_size": 2}
    )
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    api, command, back = (block.text for block in code("files.md", "sh"))
    shell = Shell(tmp_path, API=f"{live_server.url}/api/v1")
    said = shell.run(api)
    assert "stage,rank,bot" in said
    assert "XXR 2" in said
    got = json.loads((shell.folder / "summer-cup.json").read_text())

    monkeypatch.chdir(tmp_path)
    said = docs_commands.run(command)
    written = json.loads((tmp_path / "summer-cup.json").read_text())
    assert {**written, "exported_at": ""} == {**got, "exported_at": ""}
    assert (tmp_path / "tables.csv").read_text().count("\n") == 9
    assert "4 players, 2 rounds" in said[3]
    docs_commands.run(back)
    again = Bracket.objects.get(slug="summer-cup-2")
    assert (again.title, again.state, again.entries.count()) == ("Summer Cup 2", "draft", 4)
