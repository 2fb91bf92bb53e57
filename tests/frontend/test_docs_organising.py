"""The organiser's page: rules and fields against the code, commands against a server."""

import re

import pytest
from django.conf import settings

from api.serializers.brackets import NewBracketSerializer
from bots.faults import UserFault
from engine import games
from engine.clock import TimeControl
from tests.api.conftest import Caller, client
from tests.builders import make_bot, make_player, make_submission
from tests.frontend.docs_reader import code, plain, tables, words_of
from tests.frontend.docs_shell import Shell
from tests.tournaments.conftest import broker  # noqa: F401 (a fixture)
from tournaments import entrants, lifecycle
from tournaments.brackets import RULES, check_rules
from tournaments.models import Bracket, Stage
from tournaments.pairing.round_robin import schedule
from tournaments.pairing.tables import table_sizes
from tournaments.standings import TIE_BREAKS

PAGE = "organising.md"
GAME = games.get("deca-slayer")
MINIMAL = {"slug": "a", "title": "A", "game": "deca-slayer", "format": "swiss", "rules": {}}


def check_fields(table):
    shown = {plain(name): plain(default) for name, default, _ in table.rows}
    form = NewBracketSerializer(data=MINIMAL)
    assert list(shown) == ["slug", "title", "game", "format", "rules", "options", "time_control",
                           "rated", "follow_active"]  # fmt: skip
    assert list(shown) == list(form.fields)
    for name, default in shown.items():
        assert form.fields[name].required == (default == "needed"), name
    assert form.is_valid()
    assert shown["rated"] == str(form.validated_data["rated"]).lower()
    assert shown["follow_active"] == str(form.validated_data["follow_active"]).lower()
    assert form.validated_data["options"] == form.validated_data["time_control"] == {}
    meaning = {plain(row[0]): row[2] for row in table.rows}
    assert re.findall(r"`([^`]+)`", meaning["format"]) == Stage.Format.values
    assert re.findall(r"`([^`]+)`", meaning["time_control"]) == list(TimeControl().to_dict())


def check_rule_table(table):
    assert sorted(plain(row[0]) for row in table.rows) == sorted(RULES)
    defaults = check_rules("swiss", {"rounds": 1}, GAME)
    for name, default, least, most, _ in table.rows:
        name = plain(name)
        match default:
            case "needed":
                with pytest.raises(UserFault, match=f"{name} must be"):
                    check_rules("swiss", {}, GAME)
            case "none":
                assert defaults[name] is None
            case "the first five":
                assert defaults[name] == list(TIE_BREAKS)[:5]
                continue
            case "`table_size` − 1":
                for size in (4, 5, 6):
                    rules = check_rules("swiss", {"rounds": 1, "table_size": size}, GAME)
                    assert rules[name] == size - 1
            case number:
                assert defaults[name] == int(number)
        most = 4 if most == "`table_size`" else int(most)
        for value, taken in (
            (int(least), True),
            (most, True),
            (int(least) - 1, False),
            (most + 1, False),
        ):
            rules = {"rounds": 1, "table_size": 4, name: value}
            if name == "table_size":
                rules["min_size"] = 3
            if taken:
                assert check_rules("swiss", rules, GAME)[name] == value
            else:
                with pytest.raises(UserFault, match=f"{name} must be a whole number"):
                    check_rules("swiss", rules, GAME)
    with pytest.raises(UserFault, match="as many rounds as it needs"):
        check_rules("round-robin", {"rounds": 3}, GAME)


def check_states(table):
    assert [plain(cell) for cell in table.column(0)] == Bracket.State.values


def check_sizes(table):
    for entries, of_four, byes, of_three, byes_then in table.rows:
        for least, largest, sizes, out in ((3, 4, of_four, byes), (3, 3, of_three, byes_then)):
            found = table_sizes(int(entries), largest, least)
            assert ", ".join(map(str, found.sizes)) == sizes
            assert found.byes == int(out)


def check_round_robins(table):
    for entries, size, tables_in_all, meetings in table.rows:
        plan = schedule(range(int(entries)), int(size), "5e" * 32)
        assert sum(map(len, plan.rounds)) == int(tables_in_all)
        fewest, most = plan.meetings
        words = "once" if fewest == most == 1 else f"{fewest} or {most} times"
        assert meetings == words


CHECKS = {
    "Make it": check_fields,
    "Make it #2": check_rule_table,
    "Run it": check_states,
    "How large it gets": check_sizes,
    "How large it gets #2": check_round_robins,
}


@pytest.mark.parametrize("table", tables("organising.md"), ids=str)
def test_table(table):
    CHECKS[table.name](table)


def test_facts_in_the_text():
    text = words_of(PAGE)
    assert f"longer than {settings.ATTEMPT_HARD_LIMIT_S // 3600} hours is refused" in text
    assert f"{lifecycle.REPLACEMENTS} times for each deal of a table" in text


@pytest.mark.usefixtures("broker")
@pytest.mark.django_db(transaction=True)
def test_organiser_runs_a_bracket_by_the_commands_of_the_page(live_server, tmp_path):
    # given an organiser's key, and bots of which three have entered already
    user, player = make_player()
    user.is_staff = True
    user.save()
    organiser = Caller(user, player, client(user, "organise", "submit"))
    key = organiser.api._credentials["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
    bots = [make_bot() for _ in range(4)]
    for bot in bots:
        entrants.activate(submission=make_submission(bot), user=None)
    shell = Shell(tmp_path, API=f"{live_server.url}/api/v1", KEY=key, BOT=str(bots[3].pk))
    make, enter, run, act = (block.text for block in code("organising.md", "sh"))

    # when everything is typed that stands there
    shell.run(make)
    for bot in bots[:3]:
        shell.run(enter.replace("$BOT", str(bot.pk)))
    shell.run(enter)
    rounds = shell.run(run)
    shell.run(act)

    # then it was drawn, paused, resumed, and one entry is withdrawn
    bracket = Bracket.objects.get(slug="winter-cup")
    assert bracket.state == "running"
    assert '"draw_seed"' in rounds
    assert '"rank":1' in rounds
    assert bracket.entries.get(withdrawn_at__isnull=False).bot == bots[3]
    rules = bracket.stages.get().rules
    assert (rules["rounds"], rules["deals"], rules["round_minutes"]) == (5, 2, 60)
