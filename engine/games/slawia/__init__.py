"""Monster Slayers of Slawia: rules, card tables (`cards.toml`), a page for people (`rules.md`)."""

from engine.contract import Game
from engine.games.slawia.game import Slawia

GAMES: tuple[Game, ...] = (Slawia(),)
