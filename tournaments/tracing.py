"""What a line in the log is about: the ids of the request, task, match, attempt and worker at hand.

Set where work begins, carried along with messages, and added to every line by `deploy/logs.py`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import MappingProxyType

FIELDS = ("request", "task", "task_name", "match", "attempt", "worker")
Id = str | int

_NOTHING: Mapping[str, Id] = MappingProxyType({})
_ids: ContextVar[Mapping[str, Id]] = ContextVar("ids", default=_NOTHING)


def current() -> Mapping[str, Id]:
    """The ids that hold here; a thread that is started begins without any."""
    return _ids.get()


def begin(**ids: Id) -> Token[Mapping[str, Id]]:
    """Add ids from here on, until `end` is called with what this returns."""
    return _ids.set({**_ids.get(), **ids})


def end(token: Token[Mapping[str, Id]]) -> None:
    """Let the ids hold again that held before."""
    _ids.reset(token)


@contextmanager
def about(**ids: Id) -> Iterator[None]:
    """Lines written in this block are about these, besides what held before."""
    token = begin(**ids)
    try:
        yield
    finally:
        end(token)
