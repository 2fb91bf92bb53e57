"""Lots: all that is random in a drawing comes from its recorded seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import TypeVar

from engine.chance import check_seed

T = TypeVar("T")


def lots(seed: str, label: str) -> Callable[[], float]:
    """A stream of numbers in [0, 1) for a seed of 64 hex digits and a label.

    Of Python's generator only `random()` keeps its sequence in every version, so nothing else of
    it is used.
    """
    return random.Random(f"{check_seed(seed)} {label}").random


def shuffled(items: Iterable[T], lot: Callable[[], float]) -> list[T]:
    """The items in random order. For the same drawing again they must come in the same order."""
    return sorted(items, key=lambda _: lot())
