"""Putting down a monster (rules, section 8): phase `curse`.

Functions that go on return whether the card is done; if it is not, a decision is due.
"""

from __future__ import annotations

from engine.games.slawia.actions import CURSE, number_of
from engine.games.slawia.board import Board, MonsterCard, SlayerCard
from engine.games.slawia.strength import slayer_strengths
from engine.games.slawia.tables import BIES, MIMIC, VODNIK


def put_down(board: Board, where: int, card: str, source: str, player: int | None) -> bool:
    """The monster comes last into its row at the slot; `player` None: nobody played it."""
    slot = board.table[where]
    neutral = card == MIMIC and board.has_space(slot)
    if neutral:
        slot.slayers.append(SlayerCard(None, card))
    else:
        slot.monsters.append(MonsterCard(card))
    board.event(
        "monster",
        player=player,
        card=card,
        source=source,
        location=slot.place.name,
        side="slayer" if neutral else "monster",
        position=len(slot.slayers if neutral else slot.monsters),
    )
    if card == VODNIK and slot.slayers:
        board.send_home(slot.slayers.pop(), slot.place.name, "vodnik")
    return card != BIES or _bies(board, where)


def legal(board: Board) -> list[str]:
    """Legal actions in the phase `curse`."""
    return [CURSE[position] for position in _strongest(board)]


def apply(board: Board, action: str) -> bool:
    """Take a legal action in the phase `curse`."""
    return _curse(board, number_of(action))


def _bies(board: Board, where: int) -> bool:
    board.focus = where
    strongest = _strongest(board)
    if len(strongest) > 1:
        board.phase = "curse"
        return False
    return not strongest or _curse(board, strongest[0])


def _strongest(board: Board) -> list[int]:
    """Positions of the cards with the highest strength; none if that is 0."""
    strengths = slayer_strengths(board.focused)
    highest = max(strengths, default=0)
    return [i for i, strength in enumerate(strengths, 1) if strength == highest > 0]


def _curse(board: Board, position: int) -> bool:
    slot = board.focused
    slot.slayers[position - 1] = slot.slayers[position - 1]._replace(cursed=True)
    board.event("curse", location=slot.place.name, position=position)
    return True
