"""The course of a turn (rules, section 6): phases `card` and `place`, and the ends of steps."""

from __future__ import annotations

from engine.games.slawia import ending, hunts, monsters, slayers
from engine.games.slawia.actions import AT, DECK, LAIR, PLAY, object_of
from engine.games.slawia.board import HAND, Board, Held, Slot
from engine.games.slawia.decks import draw_monster, fill_lair
from engine.games.slawia.tables import (
    IMPENDING_DANGER,
    RANGER,
    UNKNOWN_REGION,
)
from engine.games.slawia.tables import LAIR as LAIR_SIZE

FINISHING = 4
"""The step in which the turn is finished; steps 1 to 3 are the cards."""
PHASES = ("card", "place", *slayers.LEGAL, "curse", "over")


def begin(board: Board, player: int) -> None:
    """The player's turn begins (6.1)."""
    board.turn += 1
    board.active = player
    board.step = 1
    board.slayers_played = 0
    board.monsters_played = 0
    for slot in board.table:
        slot.used = False
    board.phase = "card"
    board.event("turn", turn=board.turn, player=player)


def advance(board: Board) -> list[str]:
    """Do all that leaves no choice (R45); the legal actions of the choice then due, [] at the end.

    In phase `card` without a legal action the step is skipped.
    """
    while board.phase != "over":
        actions = legal(board)
        if len(actions) > 1:
            return actions
        if actions:
            apply(board, actions[0])
        else:
            board.event("skip", player=board.active, step=board.step)
            _end_step(board)
    return []


def legal(board: Board) -> list[str]:
    """Legal actions of the active player, in the order of the action list."""
    if board.phase == "card":
        return _legal_card(board)
    if board.phase == "place":
        return _legal_place(board)
    if board.phase == "curse":
        return monsters.legal(board)
    if board.phase == "over":
        return []
    return slayers.legal(board)


def apply(board: Board, action: str) -> None:
    """Take a legal action of the active player; the decision then due may have only one answer."""
    if board.phase == "card":
        _choose(board, action)
        return
    if board.phase == "place":
        done = _put_down(board, action)
    elif board.phase == "curse":
        done = monsters.apply(board, action)
    else:
        done = slayers.apply(board, action)
    if done:
        _end_step(board)


# Which card, and where (6.2, 6.3)


def _slots_for_slayer(board: Board) -> tuple[list[Slot], bool]:
    """Open locations with a free space, and whether Impending Danger limits them (R11)."""
    slots = [slot for slot in board.open_slots() if board.has_space(slot)]
    if not board.slayers_played:
        dangers = [slot for slot in slots if slot.place.ability == IMPENDING_DANGER]
        if dangers:
            return dangers, True
    return slots, False


def _slots_for_swap(board: Board) -> list[Slot]:
    """Full open locations that the Ranger can enter in exchange for an own slayer."""
    return [
        slot
        for slot in board.open_slots()
        if not board.has_space(slot) and slot.swappable(board.active) and not slot.has_vila
    ]


def _slots_for_lair(board: Board) -> list[Slot]:
    return [slot for slot in board.open_slots() if slot.place.ability != UNKNOWN_REGION]


def _legal_card(board: Board) -> list[str]:
    hand = board.hands[board.active]
    actions: list[str] = []
    if board.step < 3 and hand:
        slots, limited = _slots_for_slayer(board)
        if slots:
            return [action for card, action in PLAY.items() if card in hand]
        if RANGER in hand and not limited and _slots_for_swap(board):
            actions.append(PLAY[RANGER])
    if _slots_for_lair(board):
        actions += [action for card, action in LAIR.items() if card in board.lair]
    if (board.monster_deck or board.monster_discard) and board.open_slots():
        actions.append(DECK)
    return actions


def _choose(board: Board, action: str) -> None:
    """The chosen card is held."""
    if action == DECK:
        card = draw_monster(board)
        assert card is not None
        board.event("draw", player=board.active, card=card)
        board.held = Held(card, "deck")
    else:
        card = object_of(action)
        from_hand = action == PLAY.get(card)
        (board.hands[board.active] if from_hand else board.lair).remove(card)
        board.held = Held(card, HAND if from_hand else "lair")
    board.phase = "place"


def _slots_for_held(board: Board) -> list[Slot]:
    assert board.held is not None
    if board.held.source == "deck":
        return board.open_slots()
    if board.held.source == "lair":
        return _slots_for_lair(board)
    slots, limited = _slots_for_slayer(board)
    if board.held.card == RANGER and not limited:
        return slots + _slots_for_swap(board)
    return slots


def _legal_place(board: Board) -> list[str]:
    names = {slot.place.name for slot in _slots_for_held(board)}
    return [action for name, action in AT.items() if name in names]


def _put_down(board: Board, action: str) -> bool:
    """Put the held card down there; whether it is done."""
    assert board.held is not None
    name = object_of(action)
    slot = next(slot for slot in _slots_for_held(board) if slot.place.name == name)
    where = board.table.index(slot)
    if board.held.source == HAND:
        return slayers.put_down(board, where)
    held, board.held = board.held, None
    board.monsters_played += 1
    slot.used = True
    return monsters.put_down(board, where, held.card, held.source, board.active)


# The end of a step (6.4)


def _end_step(board: Board) -> None:
    """The step's card is done, or it was skipped."""
    board.focus = None
    board.trigger = None
    board.picked = []
    if board.step < FINISHING:
        hunts.resolve(board)
        board.step += 1
        if board.step < FINISHING:
            board.phase = "card"
            return
        fill_lair(board, LAIR_SIZE)
    if _lay_out(board):
        _end_turn(board)


def _lay_out(board: Board) -> bool:
    """Every location without a monster gets one; False: a Bies must be decided first."""
    while (where := _without_monster(board)) is not None:
        card = draw_monster(board)
        if card is None:
            break
        if not monsters.put_down(board, where, card, "populate", None):
            return False
        board.focus = None
    return True


def _without_monster(board: Board) -> int | None:
    for where, slot in enumerate(board.table):
        if slot.location is not None and not slot.monsters:
            return where
    return None


def _end_turn(board: Board) -> None:
    # A turn without any monster ends the game, for nothing would move any more (R42).
    if board.last_turn or not board.monsters_played:
        ending.end(board)
    else:
        begin(board, (board.active + 1) % board.players)
