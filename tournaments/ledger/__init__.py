"""The ledger of a ladder: the one place that changes ratings.

Rows are only ever added. Their numbers are given under the ladder's lock, so the rows of a ladder
have one order, and folding them gives the stored ratings bit for bit. A generation is such a fold;
another one can be made beside it from the same history, for example without a banned bot, and shown
in its place.
"""

from tournaments.ledger.generations import rerate, show
from tournaments.ledger.live import Finished, apply, enter, unlist
from tournaments.ledger.refold import check, fold
from tournaments.ledger.rows import Standing

__all__ = ["Finished", "Standing", "apply", "check", "enter", "fold", "rerate", "show", "unlist"]
