"""The two ways in which a caller can ask a game for something that it does not have."""


class IllegalAction(ValueError):
    """The action is not legal for that player now; the message names it and the legal ones."""


class UnknownGame(ValueError):
    """No game, or no edition of it, has that name; the message names the known ones."""
