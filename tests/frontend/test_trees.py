"""Trees of knock-outs: every table has a place of its own, in the middle of its sources."""

import itertools

import pytest

from frontend.trees import LONGEST_NAME, Seated, trees
from tournaments.pairing import CannotDraw
from tournaments.pairing.knockout import double_elimination, single_elimination


def names(count):
    return [f"bot-{number}" for number in range(1, count + 1)]


def plans():
    for count, size in itertools.product((*range(2, 34), 64), (2, 3, 4, 6)):
        for make in (single_elimination, double_elimination):
            try:
                yield make(count, table_size=size, **_third(make))
            except CannotDraw:
                continue


def _third(make):
    return {"third_place": True} if make is single_elimination else {}


def test_no_table_is_missing_and_none_covers_another():
    seen = 0
    for plan in plans():
        drawn = trees(plan, names(plan.entrants), {})
        boxes = [box for tree in drawn for box in tree.boxes]
        assert sorted(box.name for box in boxes) == sorted(table.name for table in plan.tables)
        for tree in drawn:
            for x, column in itertools.groupby(
                sorted(tree.boxes, key=lambda box: (box.x, box.y)), key=lambda box: box.x
            ):
                column = list(column)
                assert x + column[0].width <= tree.width
                for above, below in itertools.pairwise(column):
                    assert above.y + above.height <= below.y, (plan.entrants, above, below)
                assert column[-1].y + column[-1].height <= tree.height
        seen += 1
    assert seen > 100


def test_a_table_stands_in_the_middle_of_its_sources():
    [tree] = trees(single_elimination(8), names(8), {})
    box = {each.name: each for each in tree.boxes}
    assert abs(box["W2-1"].y - (box["W1-1"].y + box["W1-2"].y) / 2) < 1
    assert [title for _, title in tree.heads] == ["Round 1", "Round 2", "Final"]
    assert len(tree.paths) == 6
    lines = {name: [line.name for line in each.lines] for name, each in box.items()}
    assert lines["W1-1"] == ["bot-1", "bot-8"]
    assert lines["F1"] == ["winner of W2-1", "winner of W2-2"]
    assert not box["W1-1"].lines[0].waits
    assert box["F1"].lines[0].waits


def test_drawn_tables_have_their_seats_points_and_links():
    long = "a" * 30
    drawn = {"F1": Seated("?round=1", ((long, "0.750", True), ("b", "0.250", False)))}
    [tree] = trees(single_elimination(2), [long, "b"], drawn)
    [box] = tree.boxes
    assert (box.title, box.href) == ("Final", "?round=1")
    first, second = box.lines
    assert (first.full, first.points, first.went_on) == (long, "0.750", True)
    assert len(first.name) == LONGEST_NAME
    assert first.name.endswith("…")
    assert not second.went_on


@pytest.mark.parametrize(("count", "columns", "cut"), [(64, 6, False), (65, 6, True)])
def test_of_many_the_last_rounds_are_drawn(count, columns, cut):
    [tree] = trees(single_elimination(count), names(count), {})
    assert (len(tree.heads), tree.cut) == (columns, cut)
    assert tree.heads[-1][1] == "Final"
