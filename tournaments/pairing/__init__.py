"""Who sits with whom: pure functions from entrants, points and history to tables.

Entrants are known by whole numbers (start numbers or row ids). Only their order is used, so the
same drawing comes out whatever the names, the order of the input or the hash seed.
"""


class CannotDraw(ValueError):
    """No drawing is possible; the message says why and what would be right."""
