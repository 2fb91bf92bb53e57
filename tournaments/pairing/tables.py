"""How many tables of which sizes a field of entrants fills."""

from __future__ import annotations

from dataclasses import dataclass

from tournaments.pairing import CannotDraw


@dataclass(frozen=True, slots=True)
class TableSizes:
    """sizes: seats of each table, the largest first; byes: entrants left without a table."""

    sizes: tuple[int, ...]
    byes: int


def table_sizes(entrants: int, table_size: int, min_size: int) -> TableSizes:
    """As few tables as the field needs, with as few short ones, and byes only if unavoidable.

    A short table has one seat less than `table_size` wherever that is possible, never fewer than
    `min_size`. Not every field can be seated: tables of 4 with at least 3 need a bye for 5
    entrants; tables of exactly 3 leave n mod 3 over. Fewer than `min_size` entrants are all byes.
    """
    if not 2 <= min_size <= table_size:
        raise CannotDraw(
            f"tables of {table_size} with at least {min_size}: the smallest table must have "
            f"2 to {table_size} seats"
        )
    for byes in range(entrants + 1):
        seated = entrants - byes
        tables = -(-seated // table_size)
        if tables == 0:
            break
        # Spread evenly: the sizes differ by one at most.
        small, larger = divmod(seated, tables)
        if small >= min_size:
            return TableSizes((small + 1,) * larger + (small,) * (tables - larger), byes)
    return TableSizes((), entrants)
