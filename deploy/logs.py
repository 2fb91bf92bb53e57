"""How log lines look: plain text, or one JSON object a line (SLAYER_LOG_FORMAT).

Both tell what a line is about (`tournaments/tracing.py`) and escape control characters, so that no
text of a user can begin a line of its own or command a terminal.
"""

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

from tournaments import tracing

FIELDS = (*tracing.FIELDS, "method", "path", "status", "ms", "address")
# C0 and C1 controls, and what Unicode counts as an end of line or as a change of direction.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    r"""The text with its control characters written as `\n`, `\x1b`, `\u2028`."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def ids_of(record: logging.LogRecord) -> dict[str, Any]:
    """What the record is about: what its caller named (`extra`), then what holds around it."""
    found: dict[str, Any] = {}
    for name in FIELDS:
        value = getattr(record, name, None)
        if value is None:
            value = tracing.current().get(name) if name in tracing.FIELDS else None
        if value is not None:
            found[name] = value
    data = getattr(record, "data", None)
    if isinstance(data, dict) and "task" not in found and data.get("id"):
        found["task"], found["task_name"] = data["id"], data.get("name", "")  # Celery's own lines
    return found


class Ids(logging.Filter):
    """Notes on each record what it is about, in the thread that writes it."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.ids = ids_of(record)
        return True


def _ids(record: logging.LogRecord) -> dict[str, Any]:
    noted: dict[str, Any] | None = getattr(record, "ids", None)
    return ids_of(record) if noted is None else noted


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


class Json(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, pid, message, ids, and an error's text."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "pid": record.process,
            "message": record.getMessage(),
            **_ids(record),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        if record.stack_info:
            line["stack"] = record.stack_info
        return json.dumps(line, default=str)  # ASCII alone: nothing in it ends a line


class Plain(logging.Formatter):
    """`time level logger message [id=…]`; an error's lines stand indented below."""

    def format(self, record: logging.LogRecord) -> str:
        ids = " ".join(f"{name}={escaped(str(value))}" for name, value in _ids(record).items())
        line = f"{_time(record)} {record.levelname} {record.name} {escaped(record.getMessage())}"
        if ids:
            line += f" [{ids}]"
        for text in (
            self.formatException(record.exc_info) if record.exc_info else "",
            record.stack_info or "",
        ):
            for row in text.splitlines():
                line += f"\n    {escaped(row)}"
        return line


def config(form: str, level: str) -> dict[str, Any]:
    """What `logging.config.dictConfig` is given, for Django, Celery and the web server alike."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"ids": {"()": "deploy.logs.Ids"}},
        "formatters": {
            "plain": {"()": "deploy.logs.Plain"},
            "json": {"()": "deploy.logs.Json"},
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["ids"],
            }
        },
        "root": {"handlers": ["console"], "level": level},
        # Django's own handler writes to the console as well, or mails; ours is enough.
        "loggers": {
            "django": {"handlers": [], "propagate": True},
            "django.server": {"handlers": [], "propagate": True},
            # It says that a task was received, before the task may begin; what became of it is
            # said by another one.
            "celery.worker.strategy": {"level": "WARNING"},
        },
    }
