"""The action strings, 153 in a fixed order (rules, section 13).

A failed bot's seat takes the first legal action, so whatever spends or gives up something stands
behind the end of the turn.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.games.kunlun.tables import (
    ARTIFACTS,
    CARDS,
    CLANS,
    CREATURES,
    IMMORTALS,
    LORDS,
    MAX_PLAYERS,
    MEDITATIONS,
    MIASMAS,
    SERVANTS,
    SPELLS,
)


def _with(verb: str, arguments: Iterable[object]) -> dict[str, str]:
    """The action with each argument, by the argument as it stands in the action."""
    return {str(argument): f"{verb} {argument}" for argument in arguments}


def _of_rank(rank: str) -> list[str]:
    return [name for name in IMMORTALS if CARDS[name].rank == rank]


_PURGING = [name for name, card in CARDS.items() if card.turn == "purge"]
_HIGHEST_STAKE = max(CARDS[name].development for name in ARTIFACTS) - 1

CLAN = _with("clan", CLANS)
PROCEED = "proceed"
PLACE = _with("place", ARTIFACTS)
TURN = _with("turn", (name for name, card in CARDS.items() if card.turn))
SLAY = _with("slay", (*LORDS, *reversed(SERVANTS), *CREATURES))
ACQUIRE = _with(
    "acquire",
    (
        *(*_of_rank("sage"), *_of_rank("master"), "enlightenment", "contemplation"),
        *(*_of_rank("disciple"), *SPELLS, "diligence"),
    ),
)
PICK = _with("pick", ARTIFACTS)
PAY = "pay"
RISK = [f"risk {stake}" for stake in range(1, _HIGHEST_STAKE + 1)]
DISCARD = _with("discard", (*MIASMAS, *MEDITATIONS, *SPELLS, *IMMORTALS))
CHISEL = _with(
    "chisel",
    (name for name in MIASMAS if CARDS[name].effect == "settle" and not CARDS[name].permanent),
)
DISPLACE = _with("displace", ARTIFACTS)
INFECT = _with("infect", range(MAX_PLAYERS))
CALL = _with("call", ("master-of-the-beacon", "disciple-of-the-drum"))
REPLACE_CREATURE = "replace creature"
KEEP_CREATURE = "keep creature"
END_TURN = "end turn"
ABSTAIN = "abstain"
USE = _with("use", (name for name in ARTIFACTS if CARDS[name].use))
BURN = _with("burn", (name for name in IMMORTALS if CARDS[name].burn))
SHED = _with("shed", (name for name in SPELLS if CARDS[name].shed))
ALCHEMY = "alchemy"

ACTIONS: tuple[str, ...] = (
    *CLAN.values(),
    PROCEED,
    *PLACE.values(),
    *(action for name, action in TURN.items() if name not in _PURGING),
    *SLAY.values(),
    *ACQUIRE.values(),
    *PICK.values(),
    PAY,
    *RISK,
    *DISCARD.values(),
    *CHISEL.values(),
    *DISPLACE.values(),
    *INFECT.values(),
    *CALL.values(),
    REPLACE_CREATURE,
    KEEP_CREATURE,
    END_TURN,
    ABSTAIN,
    *USE.values(),
    *BURN.values(),
    *(TURN[name] for name in _PURGING),
    *SHED.values(),
    ALCHEMY,
)

action_order = {action: index for index, action in enumerate(ACTIONS)}.__getitem__
