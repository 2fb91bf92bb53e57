"""Deca Slayer: the rules, the card tables (`cards.toml`) and a page for people (`rules.md`)."""

from engine.contract import Game
from engine.games.deca_slayer.game import DecaSlayer

GAMES: tuple[Game, ...] = (DecaSlayer(),)
