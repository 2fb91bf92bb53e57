"""Servers named by `DATABASE_URL` and `REDIS_URL`: do they answer, are they new enough."""

import os
from urllib.parse import urlsplit

import psycopg
import redis

from deploy.servers.errors import ServerError
from deploy.servers.programs import OLDEST_POSTGRES


def check_named(but: set[str]) -> None:
    """Raise ServerError when a server named by a variable not in `but` fails to answer."""
    if "DATABASE_URL" not in but:
        _check_postgres(os.environ["DATABASE_URL"])
    if "REDIS_URL" not in but:
        _check_redis(os.environ["REDIS_URL"])


def _check_postgres(url: str) -> None:
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            major = connection.info.server_version // 10_000
    except (psycopg.Error, UnicodeError) as error:
        raise ServerError(
            f"DATABASE_URL={_without_password(url)} does not answer: {str(error).strip()}\n"
            "It has the form postgresql://user:password@host:5432/name; without it the command "
            "starts a server of its own."
        ) from None
    if major < OLDEST_POSTGRES:
        raise ServerError(
            f"DATABASE_URL={_without_password(url)} is PostgreSQL {major}; "
            f"{OLDEST_POSTGRES} or newer is needed."
        )


def _check_redis(url: str) -> None:
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=10) as client:
            client.ping()
    except (redis.RedisError, ValueError) as error:
        raise ServerError(
            f"REDIS_URL={_without_password(url)} does not answer: {error}\n"
            "It has the form redis://host:6379/0 or unix:///path/of/socket; without it the command "
            "starts a server of its own."
        ) from None


def _without_password(url: str) -> str:
    try:
        password = urlsplit(url).password
    except ValueError:
        return "(not a URL)"
    return url.replace(f":{password}@", ":…@") if password else url
