"""Table sizes: few tables, few short ones, byes only where nothing else is possible."""

import pytest

from tournaments.pairing import CannotDraw
from tournaments.pairing.tables import TableSizes, table_sizes


@pytest.mark.parametrize(
    ("entrants", "table_size", "min_size", "sizes", "byes"),
    [
        (8, 4, 3, (4, 4), 0),
        (11, 4, 3, (4, 4, 3), 0),
        (9, 4, 3, (3, 3, 3), 0),
        (6, 4, 3, (3, 3), 0),
        (5, 4, 3, (4,), 1),
        (5, 4, 2, (3, 2), 0),
        (3, 4, 3, (3,), 0),
        (2, 4, 3, (), 2),
        (1, 4, 3, (), 1),
        (0, 4, 3, (), 0),
        (7, 2, 2, (2, 2, 2), 1),
        (8, 3, 3, (3, 3), 2),
        (101, 4, 3, (4,) * 23 + (3,) * 3, 0),
        (7, 6, 3, (4, 3), 0),
        (7, 6, 5, (6,), 1),
    ],
)
def test_by_hand(entrants, table_size, min_size, sizes, byes):
    assert table_sizes(entrants, table_size, min_size) == TableSizes(sizes, byes)


def needing_byes(table_size, min_size, limit):
    return [n for n in range(1, limit) if table_sizes(n, table_size, min_size).byes]


def test_the_fields_that_need_byes():
    assert needing_byes(4, 3, 200) == [1, 2, 5]
    assert needing_byes(2, 2, 20) == [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
    assert needing_byes(3, 2, 200) == [1]
    # Sums of sixes and fives: all but these.
    assert needing_byes(6, 5, 200) == [1, 2, 3, 4, 7, 8, 9, 13, 14, 19]
    assert all(table_sizes(n, 3, 3).byes == n % 3 for n in range(1, 60))


def test_no_field_could_do_with_fewer_tables_short_tables_or_byes():
    for table_size in range(2, 7):
        for min_size in range(max(2, table_size - 1), table_size + 1):
            for n in range(1, 60):
                found = table_sizes(n, table_size, min_size)
                assert sum(found.sizes) + found.byes == n
                assert set(found.sizes) <= {table_size, min_size}
                # Every way to seat n - byes with full and short tables.
                ways = [
                    (byes, full + shorts, shorts)
                    for full in range(n // table_size + 1)
                    for shorts in range(n // min_size + 1)
                    if (byes := n - full * table_size - shorts * min_size) >= 0
                    and (min_size < table_size or shorts == 0)
                ]
                shorts = sum(size < table_size for size in found.sizes)
                assert (found.byes, len(found.sizes), shorts) == min(ways)


def test_bad_sizes_are_refused():
    for table_size, min_size in ((4, 1), (4, 5), (1, 1)):
        with pytest.raises(CannotDraw, match="the smallest table must have"):
            table_sizes(8, table_size, min_size)
