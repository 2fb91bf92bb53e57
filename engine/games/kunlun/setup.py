"""The deal, up to the first decision (rules, section 4)."""

from __future__ import annotations

from engine.contract import Json
from engine.games.kunlun import turns
from engine.games.kunlun.board import Board
from engine.games.kunlun.tables import (
    ARTIFACTS,
    CARDS,
    CHOOSE,
    CLAN_CARDS,
    CLANS,
    CREATURES,
    DILIGENCE,
    HAND_SIZE,
    LORDS,
    MEDITATIONS,
    MIASMAS,
    RANDOM,
    SERVANTS,
    SPELLS,
    START_DILIGENCE,
    START_DISCIPLES,
    copies,
)


def deal(players: int, options: Json, seed: str) -> Board:
    """The board at its first decision: a choice of clan, or the first turn."""
    board = Board(players, options, seed)
    chance = board.chance
    board.isles = {name: CARDS[name].count for name in (*MEDITATIONS, *SPELLS)}
    board.isles[DILIGENCE] -= START_DILIGENCE * players
    first = options["first"]
    board.first = board.turn = chance.below("first", players) if first == RANDOM else first

    board.servants = copies((*SERVANTS, *CREATURES))
    chance.shuffle("servants", board.servants)
    # The Supreme Villain is drawn last.
    board.lords = [name for name in LORDS if not CARDS[name].supreme]
    chance.shuffle("lords", board.lords)
    board.lords[:0] = [name for name in LORDS if CARDS[name].supreme]
    board.artifacts = copies(ARTIFACTS)
    chance.shuffle("artifacts", board.artifacts)
    board.miasmas = copies(MIASMAS)
    chance.shuffle("miasmas", board.miasmas)

    for player, clan in enumerate(_clans(board)):
        take_clan(board, player, clan)
    board.event("setup", first=board.first, clans=[seat.clan for seat in board.seats])
    if options["clans"] != CHOOSE:
        begin(board)
    return board


def _clans(board: Board) -> list[str]:
    """The clans by seat; none if they are to be chosen."""
    option = board.options["clans"]
    if option == CHOOSE:
        return []
    if option != RANDOM:
        return str(option).split(",")
    clans = list(CLANS)
    board.chance.shuffle("clans", clans)
    return [clans.pop() for _ in board.seats]


def take_clan(board: Board, player: int, clan: str) -> None:
    """The player has this clan: its Immortals, and the cards to begin with."""
    seat = board.seats[player]
    seat.clan = clan
    seat.immortals = {name: CARDS[name].count for name in CLAN_CARDS[clan]}
    disciple = CLAN_CARDS[clan][0]
    seat.immortals[disciple] -= START_DISCIPLES
    seat.ready = [disciple] * START_DISCIPLES + [DILIGENCE] * START_DILIGENCE


def clans_left(board: Board) -> list[str]:
    """The clans that nobody has."""
    taken = [seat.clan for seat in board.seats]
    return [clan for clan in CLANS if clan not in taken]


def choose_clan(board: Board, clan: str) -> None:
    """The player who decides takes the clan; after the last choice the game begins."""
    take_clan(board, board.turn, clan)
    board.turn_event("clan", clan=clan)
    undecided = [
        player for player in board.turn_order(board.first) if board.seats[player].clan is None
    ]
    if undecided:
        board.turn = undecided[0]
    else:
        begin(board)


def begin(board: Board) -> None:
    """All clans are known: first hands, first wave, first turn."""
    for player in range(board.players):
        board.shuffle_ready(player)
        board.draw_hand(player, HAND_SIZE)
    board.lay_out_wave()
    turns.begin_turn(board, board.first)
