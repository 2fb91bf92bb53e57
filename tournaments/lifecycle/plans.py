"""The plan of a knock-out stage, made from the number of its entries and its rules alone."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tournaments.models import Stage
from tournaments.pairing.knockout import Plan, double_elimination, single_elimination


def plan_for(format: str, rules: Mapping[str, Any], count: int) -> Plan:
    """The plan of a knock-out of `count`. CannotDraw when they do not fit its tables."""
    return _plan(
        format,
        count,
        rules["table_size"],
        rules["min_size"],
        rules.get("third_place", False),
    )


@lru_cache(maxsize=64)
def _plan(format: str, count: int, table_size: int, min_size: int, third: bool) -> Plan:
    if format == Stage.Format.SINGLE_ELIMINATION:
        return single_elimination(
            count, table_size=table_size, third_place=third, min_size=min_size
        )
    return double_elimination(count, table_size=table_size, min_size=min_size)
