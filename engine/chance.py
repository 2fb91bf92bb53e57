"""All randomness of a play: streams of numbers named by a label, computed from one seed.

For a seed of 32 bytes, block i of a stream is SHA-256(seed, label in UTF-8, a zero byte, i as
32 bits big-endian); each block holds four words of 64 bits, big-endian. Because every stream
stands for itself, drawing from one never shifts another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableSequence
from hashlib import sha256
from struct import Struct
from typing import Any

SEED_FORM = re.compile(r"[0-9a-f]{64}")
WORDS = Struct(">4Q")
WORD_BITS = 64


def check_seed(seed: object) -> str:
    """Return the seed, 32 bytes as 64 lower-case hex digits; ValueError for anything else."""
    if not isinstance(seed, str):
        raise ValueError(
            f"a seed is a string of 64 lower-case hex digits, not {type(seed).__name__}"
        )
    if not SEED_FORM.fullmatch(seed):
        raise ValueError(
            f"a seed is 64 lower-case hex digits, not {seed[:80]!r} ({len(seed)} characters)"
        )
    return seed


def commitment(seed: str) -> str:
    """SHA-256 of the seed's 32 raw bytes in hex; public before the seed, it binds the deal."""
    return sha256(bytes.fromhex(check_seed(seed))).hexdigest()


class Chance:
    """The chance streams of one seed, and how many words of each have been used."""

    __slots__ = ("_seed", "used")

    used: dict[str, int]
    """Words used so far by label; a label that was never used is not in it."""

    def __init__(self, seed: str, used: Mapping[str, int] | None = None) -> None:
        self._seed = bytes.fromhex(check_seed(seed))
        self.used = dict(used or {})

    def clone(self) -> Chance:
        """An independent copy that goes on at the same place of every stream."""
        copy = Chance.__new__(Chance)
        copy._seed = self._seed
        copy.used = self.used.copy()
        return copy

    def below(self, label: str, n: int) -> int:
        """A number from 0 to n-1; takes exactly one word, also for n = 1."""
        if n < 1:
            raise ValueError(f"below needs n of at least 1, not {n}")
        return (self._words(label, 1)[0] * n) >> WORD_BITS

    def shuffle(self, label: str, items: MutableSequence[Any]) -> None:
        """Shuffle in place (Fisher-Yates from the end); takes len(items)-1 words."""
        last = len(items) - 1
        for i, word in zip(range(last, 0, -1), self._words(label, last), strict=True):
            j = (word * (i + 1)) >> WORD_BITS
            items[i], items[j] = items[j], items[i]

    def roll(self, label: str) -> int:
        """A die: 1 to 6; takes one word."""
        return self.below(label, 6) + 1

    def _words(self, label: str, count: int) -> list[int]:
        if count < 1:
            return []
        first = self.used.get(label, 0)
        end = first + count
        prefix = self._seed + label.encode() + b"\0"
        words: list[int] = []
        for block in range(first // 4, (end + 3) // 4):
            words += WORDS.unpack(sha256(prefix + block.to_bytes(4, "big")).digest())
        self.used[label] = end
        skip = first % 4
        return words[skip : skip + count]
