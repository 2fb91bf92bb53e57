"""Kunlun: the rules, the card tables (`cards.toml`) and a page for people (`rules.md`)."""

from engine.contract import Game
from engine.games.kunlun.game import Kunlun

GAMES: tuple[Game, ...] = (Kunlun(),)
