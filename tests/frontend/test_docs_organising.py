"""The organiser's page: fields, acts and states against the code, commands against a server."""

import re

import pytest
from django.conf import settings
from django.core.management import CommandError
from django.urls import resolve

from api.serializers.brackets import NewBracketSerializer
from engine.clock import TimeControl
from tests.api.conftest import Caller, client
from tests.builders import make_bot, make_player, make_submission
from tests.frontend import docs_commands
from tests.frontend.docs_reader import code, plain, tables, words_of
from tests.frontend.docs_shell import Shell
from tests.tournaments.conftest import broker  # noqa: F401 (a fixture)
from tests.tournaments.fields import bots as rows_of_bots
from tournaments import entrants, lifecycle
from tournaments.bracket_rules import MOST_STAGES
from tournaments.lifecycle.acts import CHANGEABLE
from tournaments.management.commands import organise
from tournaments.models import Bracket, Stage

PAGE = "organising.md"
MINIMAL = {"slug": "a", "title": "A", "game": "deca-slayer"}


def check_fields(table):
    shown = {plain(name): plain(default) for name, default, _ in table.rows}
    form = NewBracketSerializer(data=MINIMAL)
    assert list(shown) == list(form.fields)
    for name, default in shown.items():
        assert form.fields[name].required == (default == "needed"), name
    assert form.is_valid()
    assert shown["rated"] == str(form.validated_data["rated"]).lower()
    assert shown["follow_active"] == str(form.validated_data["follow_active"]).lower()
    assert form.validated_data["options"] == form.validated_data["time_control"] == {}
    meaning = {plain(row[0]): row[2] for row in table.rows}
    assert re.findall(r"`([^`]+)`", meaning["format"])[1:] == Stage.Format.values
    assert re.findall(r"`([^`]+)`", meaning["time_control"]) == list(TimeControl().to_dict())
    assert f"at most {MOST_STAGES}" in meaning["stages"]


def check_states(table):
    assert [plain(cell) for cell in table.column(0)] == Bracket.State.values


def needs_reason(verb):
    """Whether the command refuses the verb, given all else that it takes, without a reason."""
    parser = organise.Command().create_parser("manage.py", "organise")
    beside = {
        "reseed": ["a/b"], "rules": ["--rule", "a=1"], "extend": ["--round", "1"],
        "void": ["--round", "1", "--table", "1"], "withdraw": ["a/b"], "disqualify": ["a/b"],
    }  # fmt: skip
    try:
        parser.parse_args([verb, "cup", *beside.get(verb, [])])
    except CommandError as error:
        return "--reason" in str(error)
    return False


def check_acts(table):
    for act, address, does in table.rows:
        verb = plain(act)
        assert verb in organise.VERBS
        path = re.sub(r"\bN\b|\bID\b", "1", plain(address))
        assert resolve(f"/api/v1/brackets/cup/{path}")
        assert needs_reason(verb) == (verb not in ("start", "resume"))
        if verb == "rules":
            assert tuple(re.findall(r"`([^`]+)`", does)) == CHANGEABLE


CHECKS = {"Make it": check_fields, "Run it": check_states, "Acts": check_acts}


@pytest.mark.parametrize("table", tables("organising.md"), ids=str)
def test_table(table):
    CHECKS[table.name](table)


def test_facts_in_the_text():
    text = words_of(PAGE)
    assert f"longer than {settings.ATTEMPT_HARD_LIMIT_S // 3600} hours is refused" in text
    assert f"{lifecycle.REPLACEMENTS} times for each deal of a table" in text


@pytest.mark.usefixtures("broker")
@pytest.mark.django_db(transaction=True)
def test_organiser_runs_a_bracket_by_the_commands_of_the_page(live_server, tmp_path, monkeypatch):
    # given an organiser's key, and bots with active versions
    user, player = make_player()
    user.is_staff = True
    user.save()
    organiser = Caller(user, player, client(user, "organise", "submit"))
    key = organiser.api._credentials["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
    bots = [make_bot() for _ in range(4)]
    for bot in bots:
        entrants.activate(submission=make_submission(bot), user=None)
    shell = Shell(
        tmp_path, API=f"{live_server.url}/api/v1", KEY=key, BOT=str(bots[3].pk),
        FIRST=str(bots[0]), SECOND=str(bots[1]),
    )  # fmt: skip
    make, enter, many, before, run, act, command = (
        block.text for block in code("organising.md", "sh")
    )

    # when everything is typed that stands there
    shell.run(make)
    shell.run(enter.replace("$BOT", str(bots[2].pk)))
    shell.run(enter)
    listed = shell.run(many)
    forecast = shell.run(before)
    rounds = shell.run(run)
    shell.run(act)

    # then it was drawn, paused, resumed, and one entry is withdrawn
    assert listed.count('"bot_id"') == 4
    assert '"matches":' in forecast
    assert '"draw_seed"' in rounds
    assert '"rank":1' in rounds
    bracket = Bracket.objects.get(slug="winter-cup")
    assert bracket.state == "running"
    assert bracket.entries.get(withdrawn_at__isnull=False).bot == bots[3]
    swiss, final = bracket.stages.order_by("number")
    assert (swiss.rules["rounds"], swiss.rules["deals"], swiss.rules["advance"]) == (4, 2, 4)
    assert (final.format, final.rules["sequential"]) == ("single-elimination", False)
    assert swiss.rounds.get().deadline.year == 2099

    # and by the command the same is done
    field = [str(bot) for bot in rows_of_bots(4)]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "entrants.csv").write_text("bot\n" + "".join(f"{name}\n" for name in field))
    said = docs_commands.run(command, FIRST=field[0])
    assert said[1] == "4 entered"
    assert said[4].startswith("spring-cup: running")
    spring = Bracket.objects.get(slug="spring-cup")
    assert [stage.format for stage in spring.stages.order_by("number")] == [
        "groups", "single-elimination",
    ]  # fmt: skip
    assert str(spring.entries.get(disqualified=True).bot) == field[0]
