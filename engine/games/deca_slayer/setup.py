"""The deal, up to the first decision's round (rules, section 5)."""

from __future__ import annotations

from engine.contract import Json
from engine.games.deca_slayer.board import Board
from engine.games.deca_slayer.tables import (
    DRAGON,
    GUILD_MASTER,
    GUILDS,
    MONSTERS,
    REMOVED_MONSTERS,
    ROW,
    START_CARDS,
    TREASURES,
    hero_copies,
    monster_order,
)


def deal(players: int, options: Json, seed: str) -> Board:
    """The board before round 1 begins."""
    board = Board(players, options, seed)
    chance = board.chance

    copies = hero_copies(options["princesses"])
    copies[GUILD_MASTER] -= players  # one for each hand (R33)
    board.hero_deck = [hero for hero, count in copies.items() for _ in range(count)]
    chance.shuffle("heroes", board.hero_deck)

    monsters = [monster for monster in MONSTERS if monster != DRAGON]
    chance.shuffle("monsters", monsters)
    board.monsters_removed = sorted(monsters[:REMOVED_MONSTERS], key=monster_order)
    board.monster_deck = [DRAGON, *monsters[REMOVED_MONSTERS:]]

    board.treasure_deck = [
        name for name, treasure in TREASURES.items() for _ in range(treasure.count)
    ]
    chance.shuffle("treasures", board.treasure_deck)

    if options["guilds"]:
        guilds = list(GUILDS)
        chance.shuffle("guilds", guilds)
        for seat in board.seats:
            seat.guild = guilds.pop()

    board.start = chance.below("first-player", players)
    board.event(
        "start",
        start=board.start,
        guilds=[seat.guild for seat in board.seats] if options["guilds"] else None,
    )
    for _ in range(ROW):
        board.place_monster()
    for player, seat in enumerate(board.seats):
        seat.known = [GUILD_MASTER]
        board.draw(player, START_CARDS, "deal")
    for player, seat in enumerate(board.seats):
        if seat.guild is not None and GUILDS[seat.guild].start_draw:
            board.draw(player, GUILDS[seat.guild].start_draw, seat.guild)
    board.look()
    return board
