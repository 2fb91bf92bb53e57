"""Whether a position adds up: all cards are there, and it stands at a decision or at the end.

How the cards are spread is free, so that a position need not come from a play. What is checked
besides their number is what the rules need to play on. Every refusal is a ValueError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from engine.fields import shown
from engine.games.deca_slayer import placement, recruit, rounds
from engine.games.deca_slayer.board import Board, Seat
from engine.games.deca_slayer.tables import (
    DRAGON,
    MONSTERS,
    PERFORMERS,
    PRINCESS,
    ROW,
    TREASURES,
    Step,
    hero_copies,
)

RECRUITING = ("recruit", "exchange", "limit")
ORDER_STANDS = ("outrank", "treasure", "curse", *RECRUITING)
DRAGON_TAKEN = ("treasure", "curse", *RECRUITING, "alchemy")


def check_position(board: Board) -> None:
    """ValueError that says what does not add up."""
    _check_heroes(board)
    _check_monsters(board)
    _check_treasures(board)
    _check_guilds(board)
    _check_row(board)
    _check_neutral(board)
    if board.phase == "end":
        _require(board.turn is None, "turn is null in phase end")
        return
    _check_played(board)
    if board.phase == "play":
        _check_play(board)
    else:
        _check_one_to_act(board)
    for player in rounds.deciders(board):
        _require(
            rounds.legal(board, player), f"player {player} has no action in phase {board.phase}"
        )


def _require(holds: object, what: str) -> None:
    """`what` says how it would be right."""
    if not holds:
        raise ValueError(f"the position does not add up: {what}")


# Cards


def _check_cards(found: Counter[str], expected: Mapping[str, int], what: str) -> None:
    wrong = [
        f"{name} {shown(found[name])} times instead of {expected.get(name, 0)}"
        for name in {**expected, **found}
        if found[name] != expected.get(name, 0)
    ]
    _require(not wrong, f"{what}: {', '.join(wrong)}")


def _check_heroes(board: Board) -> None:
    found = Counter(board.display + board.hero_deck + board.hero_discard)
    found[PRINCESS] += board.attached
    for seat in board.seats:
        found.update(seat.hand)
        for played in seat.played:
            found[played.card] += 1
            found[PRINCESS] += played.princesses
    _check_cards(
        found,
        hero_copies(board.options["princesses"]),
        "heroes over hands, played, attached, display, hero_deck, hero_discard",
    )


def _check_monsters(board: Board) -> None:
    found = Counter(entry.monster for entry in board.row)
    found.update(board.monster_deck + board.monsters_removed + board.monsters_defeated)
    expected = dict.fromkeys(MONSTERS, 1)
    if board.phase == "end":
        # The row is gone then, and with it the Dragon, who lies among the treasures.
        expected[DRAGON] = 0
    _check_cards(
        found, expected, "monsters over row, monster_deck, monsters_removed, monsters_defeated"
    )


def _check_treasures(board: Board) -> None:
    found = Counter(board.treasure_deck + board.treasure_discard)
    for entry in board.row:
        found.update(entry.open)
        if entry.closed is not None:
            found[entry.closed] += 1
    for seat in board.seats:
        found.update(seat.treasures)
    expected = {name: treasure.count for name, treasure in TREASURES.items()}
    fights_dragon = bool(board.row) and board.row[0].monster == DRAGON
    if board.phase == "end":
        expected[DRAGON] = 1
    elif fights_dragon and board.phase in DRAGON_TAKEN and DRAGON not in board.treasure_discard:
        # Between its defeat and the end it lies in the row and with its owner.
        expected[DRAGON] = min(found[DRAGON], 1)
    _check_cards(found, expected, "treasures over row, treasure_deck, treasure_discard, seats")


def _check_guilds(board: Board) -> None:
    guilds = [seat.guild for seat in board.seats]
    if board.options["guilds"]:
        _require(
            None not in guilds and len(set(guilds)) == board.players,
            "with the option guilds each seat has a guild of its own",
        )
    else:
        _require(
            guilds == [None] * board.players, "without the option guilds every seat's guild is null"
        )


def _check_row(board: Board) -> None:
    if board.phase == "end":
        _require(not board.row, "row is empty in phase end")
        return
    _require(1 <= len(board.row) <= ROW, f"row has 1 to {ROW} monsters before the end")
    for i, entry in enumerate(board.row):
        _require(
            len(entry.open) + (entry.closed is not None) <= 2,
            f"row[{i}] has at most two treasures, open and closed",
        )
    _require(board.row[0].closed is None, "row[0].closed is null, both treasures lie open")


# The decision


def _check_neutral(board: Board) -> None:
    """What has a value only in some phases is neutral in all others."""
    _require(
        board.attached == 0 or (board.phase == "play" and board.turn is not None),
        "attached is 0 outside a player's turn in phase play",
    )
    _require(
        (board.owed > 0) == (board.phase == "curse"),
        "owed is above 0 in phase curse, and 0 in all others",
    )
    _require(
        (board.picks > 0) == (board.phase == "recruit"),
        "picks is above 0 in phase recruit, and 0 in all others",
    )
    _require(board.picks <= 2, "picks is at most 2")
    if board.hired:
        _require(
            board.phase in ("exchange", "limit") and _guild_has(board, board.turn, "hire_draw"),
            "hired is true only in phases exchange and limit of the mercenaries-guild",
        )
    for player, seat in enumerate(board.seats):
        _require(
            not seat.played or board.phase in ("play", "take-back"),
            f"seats[{player}].played is empty in phase {board.phase}",
        )
        _require(
            seat.sealed is None or board.simultaneous(),
            f"seats[{player}].sealed is null outside a simultaneous step",
        )


def _check_play(board: Board) -> None:
    steps = board.monster.steps
    _require(board.step < len(steps), f"step is below {len(steps)} while this monster is fought")
    step = board.step_now
    _require(step.mode != "all", "in the step of this monster nobody has a decision")
    if step.mode == "simultaneous":
        _require(board.turn is None, "turn is null in a simultaneous step")
        for player, seat in enumerate(board.seats):
            _check_sealed(player, seat)
        _require(rounds.deciders(board), "somebody still owes an answer in a simultaneous step")
    else:
        _require(board.turn is not None, "turn is a seat outside a simultaneous step")
        _check_turn(board, step)


def _check_played(board: Board) -> None:
    steps = len(board.monster.steps)
    _require(board.step <= steps, f"step is at most {steps} with this monster")
    last = min(board.step, steps - 1)
    for player, seat in enumerate(board.seats):
        for i, played in enumerate(seat.played):
            before = sum(earlier.step == played.step for earlier in seat.played[:i])
            _require(
                played.step <= last and played.slot == before,
                f"seats[{player}].played[{i}] has a step up to {last}, and as slot the number of"
                " cards before it in that step",
            )


def _check_sealed(player: int, seat: Seat) -> None:
    if seat.sealed is None:
        return
    card, princesses = seat.sealed
    where = f"seats[{player}].sealed"
    _require(card is not None or princesses, f"{where} is null as long as nothing is sealed")
    sealed = Counter({PRINCESS: princesses})
    if card is not None:
        sealed[card] += 1
    _require(sealed <= Counter(seat.hand), f"the cards of {where} are in the hand")
    _require(
        card is not None or seat.hand_count > princesses,
        f"{where}: another card is left to go with the princess",
    )


def _check_turn(board: Board, step: Step) -> None:
    """The one to act can have a turn, and it is not over."""
    player = board.turn
    assert player is not None
    seat = board.seats[player]
    put_down = sum(played.step == board.step for played in seat.played)
    if step.mode == "continuous":
        _require(player not in board.passed, "turn is a seat that has not passed")
        _require(len(board.passed) < board.players - 1, "the last one left passes by itself")
        put_down = 0
    elif not step.repeat:
        _require(put_down < len(step.slots), f"player {player} has a slot left to fill")
    need = 1 if step.optional else step.need - put_down
    _require(
        seat.hand_count >= need,
        f"player {player} holds at least {need} cards, for with fewer it passes by itself",
    )


def _check_one_to_act(board: Board) -> None:
    """The phases in which one player decides, outside the battle's own turns."""
    player = board.turn
    phase = board.phase
    _require(player is not None, f"turn is a seat in phase {phase}")
    assert player is not None
    seat = board.seats[player]
    if phase in ORDER_STANDS:
        _require(board.order is not None, f"order holds all seats in phase {phase}")
    if phase in ("take-back", "outrank"):
        _require(board.values is not None, f"values holds numbers in phase {phase}")
    order = board.order or []
    if phase == "take-back":
        performers = any(played.card in PERFORMERS for played in seat.played)
        _require(
            performers and _guild_has(board, player, "take_back"),
            "turn is the performers-guild, and it has put down a performer",
        )
        _require(
            board.monster.placement != "last-man-standing" or len(board.passed) == board.players,
            "all have passed after a battle by last-man-standing",
        )
    elif phase == "outrank":
        _require(
            _guild_has(board, player, "outrank")
            and placement.seat_above(board, player) is not None,
            "turn is the royal-regulars, with the same value as the seat above",
        )
    elif phase == "treasure":
        _require(player == order[0], "turn is rank 1 in phase treasure")
    elif phase == "curse":
        _require(
            player in order[:2] and len(board.row[0].open) <= (player == order[0]),
            "turn is rank 1 or 2 in phase curse, and a treasure lies open only for rank 2",
        )
        _require(board.owed <= seat.hand_count, "owed is at most the number of cards in hand")
    elif phase == "exchange":
        _require(recruit.exchanges(board, player), f"player {player} has something to exchange")
    elif phase == "limit":
        _require(
            seat.hand_count > board.hand_limit(player),
            f"the hand of player {player} is above its limit of {board.hand_limit(player)}",
        )
    elif phase == "alchemy":
        _require(
            _guild_has(board, player, "transmute") and seat.treasures and board.treasure_deck,
            "turn is the alchemy-guild, with a treasure and one in the deck",
        )


def _guild_has(board: Board, player: int | None, effect: str) -> bool:
    """Whether the player's guild has the effect."""
    return player is not None and board.guild_seat(effect) == player
