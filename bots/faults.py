"""Errors that a bot's author or an organiser can mend; their text is shown as it is."""


class UserFault(Exception):
    """Says what was wrong and what would be right.

    `field` names the part of the request that it belongs to, `status` is the HTTP status that
    tells a program the same. `errors`, where several things are wrong: field and message of each.
    """

    status = 400
    errors: "list[dict[str, str]] | None" = None

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class NotAllowed(UserFault):
    """The user's rights do not reach this far."""

    status = 403


class Conflict(UserFault):
    """The request does not fit the present state, such as activating a rejected version."""

    status = 409


class QuotaExceeded(UserFault):
    """Too many of something; the message says how many there may be and when more are possible."""

    status = 429
