"""Leagues and groups: how many divisions there are, who is in which, and who goes up and down.

Pure: divisions are lists of entrants' numbers, the strongest division first, each in its order.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise


class Outcome(StrEnum):
    """What a season came to for an entrant."""

    CHAMPION = "champion"
    PROMOTED = "promoted"
    STAYS = "stays"
    RELEGATED = "relegated"
    WITHDRAWN = "withdrawn"


def division_sizes(
    entrants: int, size: int, *, least: int = 2, most: int | None = None
) -> list[int]:
    """Entrants of each division, the strongest first: all have `size` but the lowest.

    What is left over makes a division of its own from half of `size` on, and `least`; otherwise
    the lowest takes it too. most: no more divisions than these; then the lowest takes all others.
    """
    if size < 2 or entrants < 0 or (most is not None and most < 1):
        raise ValueError(f"{entrants} entrants in divisions of {size}, at most {most}")
    if entrants == 0:
        return []
    full, left = divmod(entrants, size)
    sizes = [size] * full
    if (2 * left >= size and left >= least) or not sizes:
        sizes.append(left)
    elif left:
        sizes[-1] += left
    if most is not None and len(sizes) > most:
        sizes = [*sizes[: most - 1], sum(sizes[most - 1 :])]
    return [count for count in sizes if count]


def divide(ordered: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """The entrants, strongest first, in divisions of these sizes."""
    if sum(sizes) != len(ordered):
        raise ValueError(f"{len(ordered)} entrants do not fill divisions of {list(sizes)}")
    left = iter(ordered)
    return [[next(left) for _ in range(count)] for count in sizes]


def movers(upper: int, lower: int, wanted: int) -> int:
    """How many change places between two divisions of these sizes: never more than half of one."""
    return min(wanted, upper // 2, lower // 2)


@dataclass(frozen=True, slots=True)
class PlayOff:
    """The play-off at a border: the last safe one above, against the next ones below."""

    holder: int
    challengers: tuple[int, ...]


def play_offs(
    divisions: Sequence[Sequence[int]],
    *,
    up: int,
    seats: int = 2,
    withdrawn: Collection[int] = (),
) -> list[PlayOff | None]:
    """The play-off between each division and the next lower one, best border first.

    divisions: in the order of their final standings, the withdrawn last; seats: how many play at
    its one table. None where there are too few who are not concerned with another border.
    """
    found: list[PlayOff | None] = []
    for number, (upper, lower) in enumerate(pairwise(divisions)):
        down = movers(len(upper), len(lower), up)
        safe = len(lower)
        if number + 2 < len(divisions):  # the last safe one below has a play-off of its own
            safe -= movers(len(lower), len(divisions[number + 2]), up) + 1
        rising = movers(len(divisions[number - 1]), len(upper), up) if number else 0
        if len(upper) - down <= rising:
            found.append(None)
            continue
        holder = upper[len(upper) - down - 1]
        challengers = lower[down : down + seats - 1]
        enough = len(challengers) == seats - 1 and down + seats - 1 <= safe
        gone = {holder, *challengers} & set(withdrawn)
        found.append(PlayOff(holder, tuple(challengers)) if enough and not gone else None)
    return found


def outcomes(
    divisions: Sequence[Sequence[int]],
    *,
    up: int,
    withdrawn: Collection[int] = (),
    won: Mapping[int, tuple[PlayOff, int]] | None = None,
) -> dict[int, Outcome]:
    """What the season came to for everybody.

    divisions: in the order of their final standings, the withdrawn last; between two divisions the
    last `up` places go down and the first `up` come up, a withdrawn one's place being one that
    goes down. won: by the number of the border (0 between the two highest), its play-off and who
    won it.
    """
    found = {entrant: Outcome.STAYS for division in divisions for entrant in division}
    for number, (upper, lower) in enumerate(pairwise(divisions)):
        count = movers(len(upper), len(lower), up)
        if count:
            found |= dict.fromkeys(upper[-count:], Outcome.RELEGATED)
            found |= dict.fromkeys(lower[:count], Outcome.PROMOTED)
        played = (won or {}).get(number)
        if played is not None:
            off, winner = played
            if winner not in (off.holder, *off.challengers):
                raise ValueError(f"{winner} was not in the play-off {off}")
            if winner != off.holder:
                found |= {off.holder: Outcome.RELEGATED, winner: Outcome.PROMOTED}
    found |= dict.fromkeys(withdrawn, Outcome.WITHDRAWN)
    present = [entrant for entrant in divisions[0] if entrant not in withdrawn] if divisions else []
    if present:
        found[present[0]] = Outcome.CHAMPION
    return found


def next_levels(
    divisions: Sequence[Sequence[int]], found: Mapping[int, Outcome]
) -> list[tuple[int, int]]:
    """Who is in the next season, with its level (1 is the highest), the strongest first.

    Within a level first those who come down, then those who stayed, then those who come up, each
    in the order of the standings.
    """
    moved = {Outcome.PROMOTED: -1, Outcome.RELEGATED: 1}
    levels: list[tuple[int, int, int, int]] = []
    for level, division in enumerate(divisions, 1):
        for place, entrant in enumerate(division):
            if found[entrant] != Outcome.WITHDRAWN:
                levels.append((level + moved.get(found[entrant], 0), level, place, entrant))
    return [(entrant, level) for level, _, _, entrant in sorted(levels)]


# ------------------------------------------------------------------ groups


def snake(field: Sequence[int], count: int) -> list[list[int]]:
    """Seeds dealt to groups there and back: 1 6 7, 2 5 8, 3 4 9."""
    groups: list[list[int]] = [[] for _ in range(count)]
    for index, entry in enumerate(field):
        row, column = divmod(index, count)
        groups[count - 1 - column if row % 2 else column].append(entry)
    return groups


def apart(seeds: list[int], groups: Sequence[Sequence[int]]) -> list[int]:
    """The seeds, with the weaker half moved so that seed s does not meet its own group's at once.

    In a full bracket of two a table, seed s meets seed n + 1 - s first. Among those of the weaker
    half the earlier keeps its place wherever that is possible.
    """
    group = {entry: number for number, entries in enumerate(groups) for entry in entries}
    half = len(seeds) // 2
    left, placed = seeds[len(seeds) - half :], []
    # From the strongest seed's opponent, the last, upwards.
    for top in seeds[:half]:
        free = [entry for entry in left if group[entry] != group[top]] or left
        placed.append(free[-1])
        left.remove(free[-1])
    return seeds[: len(seeds) - half] + placed[::-1]
