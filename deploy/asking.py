"""Asking the servers something, with an end to the waiting whatever state they are in.

Django's connection waits as long as the server takes. A probe must not: a PostgreSQL that is
frozen takes connections and answers nothing.
"""

import select
import time
from collections.abc import Sequence
from typing import Any

import psycopg
import redis
from django.conf import settings
from django.db import connections
from psycopg.pq import DiagnosticField, ExecStatus
from psycopg.pq.abc import PGconn

WITHIN_S = 2.0
GRACE_S = 0.5
"""In which a server that lives says itself that it has given up."""
Rows = list[list[str | None]]


class NoAnswer(Exception):
    """The server did not answer; the message says how, in a few words and without its address."""


def database_parameters(alias: str = "default") -> dict[str, Any]:
    """What psycopg needs to connect to the database of the settings."""
    of = connections[alias].settings_dict
    named = {
        "dbname": of["NAME"],
        "user": of["USER"],
        "password": of["PASSWORD"],
        "host": of["HOST"],
        "port": of["PORT"],
        **of["OPTIONS"],
    }
    return {name: value for name, value in named.items() if value}


def ask_database(queries: Sequence[str], *, within_s: float = WITHIN_S) -> list[Rows]:
    """The rows of each query, as text. NoAnswer when there is no whole answer in time."""
    end = time.monotonic() + within_s
    parameters = database_parameters()
    # A server that was only slow must not go on with what nobody waits for any more.
    ours = f"-c statement_timeout={round(within_s * 1000)}"
    parameters["options"] = f"{parameters.get('options', '')} {ours}".strip()
    try:
        parameters["connect_timeout"] = max(2, round(within_s))
        connection = psycopg.connect(**parameters, autocommit=True)
    except psycopg.errors.ConnectionTimeout:
        raise NoAnswer(f"did not answer within {within_s:g} s") from None
    except (psycopg.Error, UnicodeError) as error:
        raise NoAnswer(_kind(error)) from None
    try:
        return [_rows(connection.pgconn, query, end, within_s) for query in queries]
    finally:
        connection.close()  # as a context it would wait for a server that answers nothing


def _rows(server: PGconn, query: str, end: float, within_s: float) -> Rows:
    server.send_query(query.encode())
    while server.is_busy():
        left = end + GRACE_S - time.monotonic()
        if left <= 0 or not select.select([server.socket], [], [], left)[0]:
            raise NoAnswer(f"did not answer within {within_s:g} s")
        try:
            server.consume_input()
        except psycopg.Error as error:
            raise NoAnswer(_kind(error)) from None
    found = server.get_result()
    assert found is not None
    while server.get_result() is not None:
        pass
    if found.error_field(DiagnosticField.SQLSTATE) == b"57014":  # by statement_timeout
        raise NoAnswer(f"did not answer within {within_s:g} s")
    if found.status != ExecStatus.TUPLES_OK:
        raise NoAnswer(found.error_message.decode(errors="replace").splitlines()[0])
    return [
        [
            None if (value := found.get_value(row, column)) is None else value.decode()
            for column in range(found.nfields)
        ]
        for row in range(found.ntuples)
    ]


def _kind(error: Exception) -> str:
    text = str(error)
    for word, kind in (
        ("refused", "refused the connection"),
        ("No such file", "has no socket: it does not run"),
        ("password", "refused the password"),
        ("does not exist", "knows no such database or role"),
        ("too many", "has no connection left"),
        ("starting up", "is starting"),
        ("shutting down", "is shutting down"),
        ("could not translate", "has a name that is not known"),
        ("resolve", "has a name that is not known"),
    ):
        if word in text:
            return kind
    return f"cannot be used ({type(error).__name__})"


def broker(within_s: float = WITHIN_S) -> "redis.Redis":
    """A client of the broker that waits so long and no longer."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=within_s, socket_timeout=within_s
    )


def ask_broker(within_s: float = WITHIN_S) -> dict[str, Any]:
    """The broker's INFO. NoAnswer when there is none in time."""
    try:
        with broker(within_s) as client:
            info: dict[str, Any] = client.info()
            return info
    except redis.TimeoutError:
        raise NoAnswer(f"did not answer within {within_s:g} s") from None
    except (redis.RedisError, OSError, ValueError) as error:
        raise NoAnswer(_kind(error)) from None
