"""Monster Slayers of Slawia: rules, card tables (`cards.toml`), a page for people (`rules.md`)."""

from engine.contract import Game

# Empty until the rules are whole: the registry finds what stands here, and the service plays it.
GAMES: tuple[Game, ...] = ()
