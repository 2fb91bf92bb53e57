"""The page of formats: every rule with its default and bounds, sizes, facts in the text."""

import re

import pytest

from bots.faults import UserFault
from engine import games
from tests.frontend.docs_reader import plain, tables, words_of
from tournaments.bracket_rules import (
    EVERY_FORMAT,
    LEAST_DEALS,
    OF_FORMAT,
    OF_TWO,
    RULESETS,
    SEEDINGS,
    check_rules,
)
from tournaments.models import Stage
from tournaments.pairing.fide_dutch import MOST_ENTRANTS
from tournaments.pairing.round_robin import schedule
from tournaments.pairing.tables import table_sizes
from tournaments.sequential import EFFECT
from tournaments.standings import TIE_BREAKS, USUAL

PAGE = "formats.md"
GAME = games.get("deca-slayer")
NEEDED = {"swiss": {"rounds": 1}, "groups": {"groups": 2}}


def rules_of(format, **rules):
    return check_rules(format, {**NEEDED.get(format, {}), **rules}, GAME)


def check_formats(table):
    assert [plain(cell) for cell in table.column(0)] == [
        "round-robin", "groups", "swiss", "single-elimination", "double-elimination",
    ]  # fmt: skip
    assert {plain(cell) for cell in table.column(0)} == set(Stage.Format.values)


def check_bounds(format, name, default, least, most):
    """The default of a rule, and that its bounds are taken and what is beyond them is not."""
    match default:
        case "needed":
            with pytest.raises(UserFault, match=f"{name} must be"):
                check_rules(format, {}, GAME)
        case "none":
            assert rules_of(format)[name] is None
        case "yes" | "no":
            assert rules_of(format)[name] is (default == "yes")
            with pytest.raises(UserFault, match=f"{name} must be true or false"):
                rules_of(format, **{name: "maybe"})
        case _ if default.startswith("`"):
            assert rules_of(format)[name] == plain(default)
        case number:
            assert rules_of(format)[name] == int(number)
    if not least:
        return
    most = {"`table_size`": 4, "`deals`": 40}.get(most) or int(most)
    for value, taken in (
        (int(least), True),
        (most, True),
        (int(least) - 1, False),
        (most + 1, False),
    ):
        rules = {"table_size": 4, name: value}
        if name == "table_size":
            rules["min_size"] = 3
        if taken:
            assert rules_of(format, **rules)[name] == value
        else:
            with pytest.raises(UserFault, match=f"{name} must be a whole number"):
                rules_of(format, **rules)


def check_common(table):
    assert [plain(cell) for cell in table.column(0)] == list(EVERY_FORMAT)
    for name, default, least, most, meaning in table.rows:
        name = plain(name)
        if name == "tie_breaks":
            assert default == "the first five"
            assert rules_of("swiss")[name] == list(USUAL) == list(TIE_BREAKS)[:5]
            continue
        if name == "min_size":
            assert default == "`table_size` − 1"
            for size in (4, 5, 6):
                assert rules_of("swiss", table_size=size)[name] == size - 1
                assert rules_of("single-elimination", table_size=size)[name] == GAME.min_players
            default = "3"
        check_bounds("swiss", name, default, least, most)
        if name == "seeding":
            assert tuple(re.findall(r"`([^`]+)`[,;]", meaning))[:3] == SEEDINGS


def check_of_formats(table):
    assert {plain(row[0]) for row in table.rows} == {
        name for names in OF_FORMAT.values() for name in names
    }
    for name, of, default, least, most, _ in table.rows:
        name, formats = plain(name), re.findall(r"`([^`]+)`", of)
        assert sorted(formats) == sorted(f for f, names in OF_FORMAT.items() if name in names)
        for format in formats:
            check_bounds(format, name, default, least, most)
    ruleset = next(row for row in table.rows if plain(row[0]) == "ruleset")
    assert tuple(re.findall(r"`([^`]+)`", ruleset[5])) == RULESETS


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
        once = "once" if most == 1 else f"{most} times"
        assert meetings == (once if fewest == most else f"{fewest} or {most} times")


CHECKS = {
    "Formats and their rules": check_formats,
    "Rules": check_common,
    "Rules #2": check_of_formats,
    "Swiss": check_sizes,
    "Round robin": check_round_robins,
}


@pytest.mark.parametrize("table", tables("formats.md"), ids=str)
def test_table(table):
    CHECKS[table.name](table)


def test_facts_in_the_text():
    text = words_of(PAGE)
    assert f"`deals` is {rules_of('single-elimination')['deals']} unless" in text
    assert rules_of("single-elimination", sequential=False)["deals"] == 1
    assert f"for up to {MOST_ENTRANTS} entrants" in text
    assert f"error of 5 % for a difference of {EFFECT}" in text
    assert rules_of("single-elimination")["least_deals"] == LEAST_DEALS
    assert all("buchholz" in name for name in OF_TWO)
    with pytest.raises(UserFault, match="tables of two"):
        rules_of("swiss", tie_breaks=list(OF_TWO))
