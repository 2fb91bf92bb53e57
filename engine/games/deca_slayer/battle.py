"""The battle of a round, up to the discarding of the played cards (rules, section 7).

Phases `play` and `take-back`. Functions that go on return whether the battle is over; if it is
not, a decision is due.
"""

from __future__ import annotations

from engine.games.deca_slayer.actions import (
    ADD_PRINCESS,
    PASS,
    PLAY,
    TAKE_BACK,
    card_of,
    with_heroes,
)
from engine.games.deca_slayer.board import Board, Played, Sealed
from engine.games.deca_slayer.tables import (
    HEROES,
    PERFORMERS,
    PRINCESS,
    ROUNDS,
    TYPES,
    Step,
    hero_order,
)


def begin(board: Board) -> bool:
    """Begin the first step."""
    board.step = 0
    return _begin_step(board)


def legal(board: Board, player: int) -> list[str]:
    """Legal actions of a player who owes one in the phases of the battle."""
    if board.phase == "take-back":
        return [PASS, *with_heroes(TAKE_BACK, _performers_put_down(board, player))]
    step = board.step_now
    if step.mode == "simultaneous":
        return _legal_face_down(board, player)
    if step.mode == "continuous":
        return _legal_continuous(board, player, step)
    return _legal_sequential(board, player, step)


def apply(board: Board, player: int, action: str) -> bool:
    """Take a legal action in a phase of the battle."""
    if board.phase == "take-back":
        return _take_back(board, player, action)
    step = board.step_now
    if step.mode == "simultaneous":
        return _answer_face_down(board, player, action)
    if action == ADD_PRINCESS:
        board.seats[player].remove(PRINCESS)
        board.attached += 1
        board.event("princess", player=player)
        return False
    if action == PASS:
        _pass(board, player)
        return _next_turn(board, player, step)
    _put_down(board, player, _slot_type(board, player, step), card_of(action), board.attached)
    board.attached = 0
    if _turn_goes_on(board, player, step):
        return False
    return _next_turn(board, player, step)


def deciders(board: Board) -> tuple[int, ...]:
    """Seats that still owe a complete answer in a simultaneous step."""
    return tuple(
        player
        for player, seat in enumerate(board.seats)
        if (seat.sealed is None or seat.sealed.card is None) and seat.hand_count
    )


# Steps and turns


def _begin_step(board: Board) -> bool:
    """Begin the step that is due, or end the battle when there is none."""
    board.phase = "play"
    board.turn = None
    board.attached = 0
    if board.step == len(board.monster.steps):
        return _count(board)
    step = board.step_now
    if step.mode == "all":
        _play_all(board)
        return _next_step(board)
    if step.mode == "simultaneous":
        return not deciders(board) and _turn_up(board)
    return _begin_turn(board, board.start, step)


def _next_step(board: Board) -> bool:
    board.step += 1
    return _begin_step(board)


def _begin_turn(board: Board, player: int, step: Step) -> bool:
    """The player's turn begins; it may pass by itself."""
    board.turn = player
    board.attached = 0
    if _slots_filled(board, player, step):
        return _next_turn(board, player, step)
    last_one_left = step.mode == "continuous" and len(board.passed) == board.players - 1
    if last_one_left or board.seats[player].hand_count < step.need:
        _pass(board, player)
        return _next_turn(board, player, step)
    return False


def _next_turn(board: Board, player: int, step: Step) -> bool:
    """Go on with whoever is next after the player's turn, or with the next step."""
    following = (player + 1) % board.players
    if step.mode == "continuous":
        if len(board.passed) == board.players:
            return _next_step(board)
        while following in board.passed:
            following = (following + 1) % board.players
    elif following == board.start:
        return _next_step(board)
    return _begin_turn(board, following, step)


def _turn_goes_on(board: Board, player: int, step: Step) -> bool:
    """Whether the player's turn has more cards to come after the one just put down."""
    if step.repeat:
        return board.seats[player].hand_count > 0
    return step.mode == "sequential" and _put_down_in_step(board, player) < len(step.slots)


def _slots_filled(board: Board, player: int, step: Step) -> bool:
    """Before the player's turn this is so in a set position alone."""
    in_order = step.mode == "sequential" and not step.repeat
    return in_order and _put_down_in_step(board, player) >= len(step.slots)


def _pass(board: Board, player: int) -> None:
    if board.step_now.mode == "continuous":
        board.passed.append(player)
    board.event("pass", player=player, step=board.step)


# Putting down


def _put_down_in_step(board: Board, player: int) -> int:
    return sum(played.step == board.step for played in board.seats[player].played)


def _slot_type(board: Board, player: int, step: Step) -> str:
    """The type of the slot that the player's next card fills."""
    if step.mode == "sequential" and not step.repeat:
        return step.slots[_put_down_in_step(board, player)]
    return step.slots[0]


def _put_down(board: Board, player: int, kind: str, card: str, princesses: int) -> None:
    seat = board.seats[player]
    seat.remove(card)
    slot = _put_down_in_step(board, player)
    seat.played.append(Played(board.step, slot, kind, card, princesses))
    board.event(
        "play",
        player=player,
        step=board.step,
        slot=slot,
        type=kind,
        card=card,
        princesses=princesses,
        power=board.power(player, card, kind, princesses),
    )


# The ways of playing


def _legal_face_down(board: Board, player: int) -> list[str]:
    cards = board.seats[player].unsealed()
    actions = with_heroes(PLAY, cards)
    if PRINCESS in cards and len(cards) > 1:
        actions.append(ADD_PRINCESS)
    return actions


def _answer_face_down(board: Board, player: int, action: str) -> bool:
    seat = board.seats[player]
    princesses = seat.sealed.princesses if seat.sealed is not None else 0
    if action == ADD_PRINCESS:
        seat.sealed = Sealed(None, princesses + 1)
        return False
    seat.sealed = Sealed(card_of(action), princesses)
    return not deciders(board) and _turn_up(board)


def _turn_up(board: Board) -> bool:
    """All have answered: everything is turned up, in turn order."""
    kind = board.step_now.slots[0]
    for player in board.turn_order():
        seat = board.seats[player]
        if seat.sealed is None or seat.sealed.card is None:
            _pass(board, player)
            continue
        for _ in range(seat.sealed.princesses):
            seat.remove(PRINCESS)
        _put_down(board, player, kind, seat.sealed.card, seat.sealed.princesses)
    for seat in board.seats:
        seat.sealed = None
    return _next_step(board)


def _legal_sequential(board: Board, player: int, step: Step) -> list[str]:
    hand = board.seats[player].hand
    put_down = 0 if step.optional else _put_down_in_step(board, player)
    slots_left = step.need - put_down
    actions = with_heroes(PLAY, hand)
    if not board.attached and not put_down:
        actions.insert(0, PASS)
    if PRINCESS in hand and len(hand) - 1 >= slots_left:
        actions.append(ADD_PRINCESS)
    return actions


def _legal_continuous(board: Board, player: int, step: Step) -> list[str]:
    having = [card for card in board.seats[player].hand if step.slots[0] in HEROES[card].powers]
    actions = with_heroes(PLAY, having)
    if not board.attached:
        actions.insert(0, PASS)
    if PRINCESS in having and len(having) > 1:
        actions.append(ADD_PRINCESS)
    return actions


def _play_all(board: Board) -> None:
    """Each whole hand goes down, every card as the best of its types."""
    for player in board.turn_order():
        for card in sorted(board.seats[player].hand, key=hero_order):
            _put_down(board, player, _best_type(board, player, card), card, 0)


def _best_type(board: Board, player: int, card: str) -> str:
    """The type in which the card has most power, among equals the first in type order (R13)."""
    powers = [board.power(player, card, kind, 0) for kind in TYPES]
    return TYPES[powers.index(max(powers))]


# The battle is over


def _count(board: Board) -> bool:
    """Reckon the values, then ask the seat that may take a performer back."""
    board.values = [_value(board, player) for player in range(board.players)]
    player = board.guild_seat("take_back")
    if board.round < ROUNDS and player is not None and _performers_put_down(board, player):
        board.phase = "take-back"
        board.turn = player
        return False
    return _clear(board)


def _value(board: Board, player: int) -> int:
    powers = board.powers(player)
    placement = board.monster.placement
    if placement == "last-man-standing":
        return len(powers)
    if placement == "total-power":
        return sum(powers)
    required = sum(len(step.slots) for step in board.monster.steps if not step.optional)
    if len(powers) < required:
        return 0
    return min(powers)


def _performers_put_down(board: Board, player: int) -> list[str]:
    cards = [played.card for played in board.seats[player].played]
    return [card for card in cards if card in PERFORMERS]


def _take_back(board: Board, player: int, action: str) -> bool:
    if action == PASS:
        board.event("decline", player=player, phase="take-back")
        return _clear(board)
    card = card_of(action)
    board.seats[player].add_known(card)
    board.event("take-back", player=player, card=card)
    return _clear(board, kept=card)


def _clear(board: Board, kept: str | None = None) -> bool:
    """Discard all cards of the battle but the one taken back; the battle is over."""
    cards: list[str] = []
    for seat in board.seats:
        for played in seat.played:
            cards += [played.card, *[PRINCESS] * played.princesses]
        seat.played = []
    if kept is not None:
        cards.remove(kept)
    board.discard(cards)
    return True
