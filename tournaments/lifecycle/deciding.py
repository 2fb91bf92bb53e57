"""Whether a table of a knock-out is decided, and how many deals it wants until then."""

from collections.abc import Mapping
from dataclasses import dataclass

from tournaments.lifecycle.tally import Tally
from tournaments.sequential import decide

# So many deals beyond the last that was looked at are played meanwhile: a worker that waits is
# dearer than a deal too many.
AHEAD = 2


@dataclass(frozen=True, slots=True)
class TableVerdict:
    """order: the entries, best first; deals: those that decided; deals_wanted: to go on with."""

    decided: bool
    order: tuple[int, ...]
    deals: int
    deals_wanted: int
    reason: str


def decide_table(
    result: Tally, *, seeds: Mapping[int, int], go_on: int, least: int, cap: int
) -> TableVerdict:
    """Look at the deals in their order, from the `least`-th on, and stop at the first that decides.

    So the verdict does not depend on which of the deals played ahead are over by chance. Without a
    sequential test `least` is `cap`. Equal means go by the mean margin where all deals are played,
    then to the better seed.
    """
    for deals in range(least, min(result.deals, cap) + 1):
        scores = {
            entry: [
                share.points / share.plays if share is not None else 0.0
                for share in result.shares[entry][:deals]
            ]
            for entry in seeds
        }
        margins = {entry: result.of(entry, deals=deals).margin or 0.0 for entry in seeds}
        # The margin parts equals before the seed does.
        ranked = sorted(seeds, key=lambda entry: (-round(margins[entry], 9), seeds[entry]))
        verdict = decide(
            scores,
            seeds={entry: number for number, entry in enumerate(ranked, 1)},
            go_on=go_on,
            least=least,
            cap=cap,
        )
        if verdict.decided:
            return TableVerdict(True, verdict.order, deals, deals, verdict.reason)
    return TableVerdict(False, (), result.deals, max(least, result.deals + AHEAD), "")
