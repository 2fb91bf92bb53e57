"""Tournament report files (FIDE): TRF16 and TRF26, for tournaments with tables of two.

The format is FIDE's "Format of Tournament Report File", versions of 2016 and 2026 (handbook C.04
annex 2); the records XX… are JaVaFo's, BB… bbpPairings'.
"""

from tournaments.interchange.trf.model import (
    MOST_PLAYERS,
    Abnormal,
    Acceleration,
    Bye,
    Forbidden,
    Game,
    Player,
    Report,
    TrfError,
)
from tournaments.interchange.trf.reading import decode, read
from tournaments.interchange.trf.writing import write

__all__ = [
    "MOST_PLAYERS",
    "Abnormal",
    "Acceleration",
    "Bye",
    "Forbidden",
    "Game",
    "Player",
    "Report",
    "TrfError",
    "decode",
    "read",
    "write",
]
