"""`manage.py organise`: every verb does what the API does, and says what is wrong."""

import json
import re
import shlex
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper

from bots.models import Act
from tests.builders import make_player
from tests.tournaments.chosen import run_to_the_end, settle_all
from tests.tournaments.fields import bots, field_of_bots
from tournaments import lifecycle, seasons
from tournaments.interchange import trf
from tournaments.management.commands import organise as organise_command
from tournaments.models import Bracket, Match, Season, Table

pytestmark = [pytest.mark.django_db, pytest.mark.db]
WHY = ["--reason", "because"]
ONE = {"rounds": 2, "table_size": 2, "seeding": "given", "round_minutes": 60}


def organise(*words):
    out = StringIO()
    call_command("organise", *map(str, words), stdout=OutputWrapper(out))
    return out.getvalue().strip()


def refused(*words):
    with pytest.raises(CommandError) as caught:
        organise(*words)
    return str(caught.value)


def names(count):
    return [str(bot) for bot in bots(count)]


def verbs():
    rows = Act.objects.filter(target__endswith="bracket cup").order_by("id")
    return list(rows.values_list("verb", flat=True))


def test_a_bracket_from_its_making_to_its_files(tmp_path):
    said = organise(
        "create", "cup", "--game", "kunlun", "--title", "The Cup", "--time", "move_ms=80",
        "--stage", "swiss:rounds=2,table_size=2,tie_breaks=margin+wins,advance=2",
        "--stage", "single-elimination:table_size=2,sequential=false,deals=1", "--unrated",
    )  # fmt: skip
    assert said == "cup is open for entries"
    bracket = Bracket.objects.get()
    first, second = bracket.stages.order_by("number")
    assert first.rules["tie_breaks"] == ["margin", "wins"]
    assert (second.format, second.rules["sequential"]) == ("single-elimination", False)
    assert (bracket.rated, bracket.time_control["move_ms"]) == (False, 80)

    one, two, *others = names(4)
    assert organise("enter", "cup", one, two) == "2 entered"
    file = tmp_path / "others.csv"
    file.write_text("bot,seeding\n" + "".join(f"{name},9\n" for name in others))
    assert organise("enter", "cup", "--file", file) == "2 entered"
    assert organise("forecast", "cup").startswith("at most 5 matches, 10 plays\n")
    assert "its first round is drawn" in organise("start", "cup")
    run_to_the_end(bracket, {bot.active_id: -float(bot.pk) for bot in entered(bracket)})

    shown = organise("show", "cup", "--stage", "1").splitlines()
    assert shown[:3] == ["cup: finished", "stage 1: swiss", "  round 1: 2 of 2 tables, closed"]
    assert re.fullmatch(rf" +1\. {one} 2\.000 [\d.]+ 2\.000", shown[4])
    document = json.loads(organise("export", "cup"))
    assert document["bracket"]["state"] == "finished"
    organise("export", "cup", "--to", tmp_path / "cup.trf", "--stage", "1", "--version", "16")
    assert trf.read((tmp_path / "cup.trf").read_text()).played == 2
    assert f"1 {one} 2.0" in organise("check-report", tmp_path / "cup.trf")
    organise("export", "cup", "--to", tmp_path / "cup.csv", "--sheet", "tables")
    assert (tmp_path / "cup.csv").read_text().startswith("stage,round,table")
    organise("export", "cup", "--to", tmp_path / "cup.json")
    said = organise("import", tmp_path / "cup.json", "--slug", "cup-2", "--title", "Again")
    assert said == "cup-2 is a draft with 4 entries"
    assert Bracket.objects.get(slug="cup-2").title == "Again"


def entered(bracket):
    return [entry.bot for entry in bracket.entries.select_related("bot")]


def test_every_act_is_done_and_logged_as_the_organisers():
    user, _ = make_player("olga")
    user.is_staff = True
    user.save()
    bracket, strength = field_of_bots(4, format="swiss", rules=ONE)
    one, *_, last = [str(bot) for bot in entered(bracket)]
    me = ["--as", user.email]
    turned = [str(bot) for bot in entered(bracket)][::-1]
    organise(*me, "reseed", "cup", *turned, *WHY)
    assert str(bracket.entries.get(seeding=1).bot) == last
    organise(*me, "rules", "cup", "--rule", "rounds=3", *WHY)
    assert bracket.stages.get().rules["rounds"] == 3
    organise(*me, "start", "cup")
    until = "2099-01-31T18:00:00Z"
    organise(*me, "extend", "cup", "--round", 1, "--until", until, *WHY)
    assert bracket.stages.get().rounds.get().deadline.year == 2099
    settle_all(strength)
    lifecycle.advance()
    organise(*me, "void", "cup", "--round", 1, "--table", 1, *WHY)
    assert Table.objects.get(round__number=1, number=1).left_out
    organise(*me, "withdraw", "cup", one, *WHY)
    organise(*me, "disqualify", "cup", last, *WHY)
    assert bracket.entries.filter(withdrawn_at__isnull=False).count() == 2
    organise(*me, "pause", "cup", *WHY)
    assert "paused\n  because" in organise("show", "cup")
    organise(*me, "resume", "cup")
    bracket.refresh_from_db()
    assert bracket.state == "running"
    assert verbs() == [
        "create", "reseed", "change-rules", "start", "extend", "void", "withdraw", "disqualify",
        "pause", "resume",
    ]  # fmt: skip
    logged = Act.objects.filter(target__endswith="bracket cup").exclude(verb="create")
    assert set(logged.values_list("user", flat=True)) == {user.pk}


def test_a_season_from_its_making_to_the_next(tmp_path):
    organise(
        "season", "create", "league-1", "--game", "kunlun", "--title", "The First",
        "--rule", "division_size=3", "--rule", "match_days=2", "--rule", "table_size=2",
        "--rule", "min_size=2", "--rule", "deals=1",
    )  # fmt: skip
    field = names(6)
    assert organise("season", "enter", "league-1", *field) == "6 entered"
    forecast = organise("season", "forecast", "league-1")
    assert organise("season", "start", "league-1") == "league-1 runs with 2 divisions"
    organise("season", "postpone", "league-1", "--day", 2, "--until", "2099-01-01T00:00:00Z", *WHY)
    assert Season.objects.get().match_days.get(number=2).deadline.year == 2099
    strength = {
        entry.submission_id: -float(entry.pk) for entry in Season.objects.get().entries.all()
    }
    for _ in range(4):
        settle_all(strength)
        lifecycle.advance()
        seasons.advance()
    assert forecast.startswith(f"at most {Match.objects.count()} matches, ")
    shown = organise("season", "show", "league-1")
    assert shown.startswith("league-1: finished")
    assert f"   1. {field[0]} 1.000 champion" in shown
    assert json.loads(organise("season", "export", "league-1"))["season"]["state"] == "finished"
    organise("season", "export", "league-1", "--to", tmp_path / "league.csv")
    assert "champion" in (tmp_path / "league.csv").read_text()
    said = organise("season", "roll-over", "league-1", "--slug", "league-2", "--title", "Next")
    assert said == "league-2 is open for entries, with 6 of the last one"
    organise("season", "withdraw", "league-2", field[0], *WHY)
    organise("season", "start", "league-2")
    organise("season", "disqualify", "league-2", field[1], *WHY)
    acts = Act.objects.filter(target__endswith="season league-2").order_by("id")
    assert list(acts.values_list("verb", flat=True)) == [
        "create", "withdraw", "start", "disqualify",
    ]  # fmt: skip


def test_what_is_wrong_is_said(tmp_path):
    assert "there is no bracket 'cup'; there is: none" in refused("show", "cup")
    bracket, _ = field_of_bots(2, format="swiss", rules=ONE)
    one = str(entered(bracket)[0])
    assert "there is: cup" in refused("show", "pup")
    assert "there is no organiser 'x@example.org'" in refused(
        "--as", "x@example.org", "start", "cup"
    )
    assert "name bots, or a --file" in refused("enter", "cup")
    said = refused("enter", "cup", "a/b", one, one)
    assert said.splitlines() == [
        "nothing was entered:",
        "  row 1: there is no bot 'a/b' of kunlun",
        f"  row 2: {one} has entered already",
        f"  row 3: {one} stands in row 2 already",
    ]
    assert "No such file" in refused("enter", "cup", "--file", tmp_path / "no.csv")
    assert "'rounds' should be NAME=VALUE" in refused("rules", "cup", "--rule", "rounds", *WHY)
    assert "rounds must be a whole number" in refused("rules", "cup", "--rule", "rounds=0", *WHY)
    assert "'a/b' has not entered cup" in refused("withdraw", "cup", "a/b", *WHY)
    assert "cup has no stage 2" in refused("extend", "cup", "--stage", 2, "--round", 1, *WHY)
    assert "stage 1 has no round 7" in refused("void", "cup", "--round", 7, "--table", 1, *WHY)
    assert "only a running bracket can be paused" in refused("pause", "cup", *WHY)
    assert "--to ends with" in refused("export", "cup", "--to", "cup.xls")
    assert "the following arguments are required: --reason" in refused("pause", "cup")
    file = tmp_path / "bad.trf"
    file.write_text("001    1\n001    1\n")
    assert "line 2, column 5: the starting rank 1" in refused("check-report", file)
    file.write_text("{")
    assert "is no JSON" in refused("import", file)
    assert "there is no season 'x'" in refused("season", "show", "x")
    assert "Unknown format" in refused(
        "create", "b", "--game", "kunlun", "--title", "B", "--stage", "ladder"
    )


def test_the_help_has_an_example_of_most_verbs_and_all_are_understood():
    command = organise_command.Command()
    examples = [
        shlex.split(line)[2:]
        for line in organise_command.EXAMPLES.replace("\\\n", " ").splitlines()
        if line.startswith("  manage.py organise ")
    ]
    verbs = {command.create_parser("manage.py", "organise").parse_args(words).verb
             for words in examples}  # fmt: skip
    assert {"create", "enter", "forecast", "start", "void", "export", "import", "season"} <= verbs
    assert verbs <= set(organise_command.VERBS)
