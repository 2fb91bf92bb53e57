"""Kunlun: the rules, the card tables (`cards.toml`) and a page for people (`rules.md`)."""

from engine.contract import Game

GAMES: tuple[Game, ...] = ()
