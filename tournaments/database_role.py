"""The database role of workers: what a machine that runs strangers' programs may do, and no more.

It claims, renews and finishes attempts, with all that the finishing transaction writes, and reads
packages' places. It reads nothing of users, tokens, players or notices, no check's log, and a
match's seed only through `tournaments_claimed_seed`, for a match that it has claimed.

Rights are given by column, so a column of a later version is closed until `install` runs again:
it belongs after every migration.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection, models, transaction
from psycopg import sql
from psycopg.errors import InsufficientPrivilege

from bots.faults import UserFault
from bots.models import Bot, Submission
from tournaments.models import (
    Attempt,
    Contestant,
    Generation,
    Ladder,
    Match,
    Play,
    Rating,
    RatingChange,
    Worker,
)

DEFAULT_NAME = "slayer_worker"
# A worker that hangs in a transaction must not keep a ladder's lock for ever.
IDLE_IN_TRANSACTION_S = 60


def _columns(model: type[models.Model], *but: str) -> tuple[str, ...]:
    fields = model._meta.concrete_fields
    return tuple(field.column or "" for field in fields if field.name not in but)


@dataclass(frozen=True)
class Rights:
    """Columns of one table that the role may select, set in new rows, and update."""

    select: tuple[str, ...]
    insert: tuple[str, ...] = ()
    update: tuple[str, ...] = ()

    def granted(self) -> Iterator[tuple[str, str]]:
        for privilege in ("select", "insert", "update"):
            for column in getattr(self, privilege):
                yield privilege.upper(), column


RIGHTS: dict[type[models.Model], Rights] = {
    Worker: Rights(
        _columns(Worker),
        _columns(Worker),
        # Not whether it takes work, which is an organiser's to say.
        (
            "version", "python", "languages", "slots", "tier", "problem", "started_at", "seen_at",
            "clock_offset_s",
        ),
    ),
    Match: Rights(
        _columns(Match, "seed"),
        update=(
            "state", "attempt", "infrastructure_failures", "void_reason", "archive",
            "published_at", "started_at", "ended_at",
        ),
    ),
    Attempt: Rights(
        _columns(Attempt),
        _columns(Attempt),
        # Neither its worker, nor the token and the key that it was claimed with.
        (
            "state", "outcome", "lease_until", "play", "decision", "progress_at",
            "result_sha256", "ended_at",
        ),
    ),
    Contestant: Rights(
        _columns(Contestant),
        _columns(Contestant),
        ("place", "place_points", "margin", "failures"),
    ),
    Play: Rights(_columns(Play), _columns(Play)),
    Ladder: Rights(("id", "seq", "version", "generation"), update=("seq", "version")),
    Generation: Rights(("ladder_id", "number", "without")),
    Rating: Rights(
        _columns(Rating),
        _columns(Rating, "ordinal"),
        ("mu", "sigma", "matches", "played_at"),
    ),
    RatingChange: Rights(_columns(RatingChange), _columns(RatingChange)),
    Submission: Rights(
        ("id", "bot_id", "package", "filename", "size", "sha256", "language", "entry", "rewrite")
    ),
    Bot: Rights(("id", "game")),
}  # fmt: skip
_FUNCTION = "tournaments_claimed_seed(bigint, integer, text)"


def install(*, name: str = DEFAULT_NAME, password: str = "") -> bool:
    """Make the role, or bring its rights to those above; whether it is new.

    With a password it gets this one (only its SCRAM form is sent); without, it keeps what it has.
    UserFault when it is a role that must not be changed, or ours may not make roles.
    """
    _check_name(name)
    role = sql.Identifier(name)
    with transaction.atomic():
        new = not _exists(name)
        if new:
            _create(name)
        _refuse_mighty(name)
        if password:
            _run(sql.SQL("ALTER ROLE {} PASSWORD {}").format(role, _scram(name, password)))
        _run(
            sql.SQL("ALTER ROLE {} SET idle_in_transaction_session_timeout = {}").format(
                role, sql.Literal(f"{IDLE_IN_TRANSACTION_S}s")
            )
        )
        _grant(role)
    return new


def differences(name: str) -> list[str]:
    """What the role may do that it should not, and the reverse; empty when all is right."""
    wanted = {
        (model._meta.db_table, column, privilege)
        for model, rights in RIGHTS.items()
        for privilege, column in rights.granted()
    }
    found = set(_held(name))
    lines = [f"may {right} {table}.{column}" for table, column, right in sorted(found - wanted)]
    lines += [
        f"may not {right} {table}.{column}" for table, column, right in sorted(wanted - found)
    ]
    if not _rows("SELECT has_function_privilege(%s, %s, 'EXECUTE')", name, _FUNCTION)[0][0]:
        lines.append("may not call tournaments_claimed_seed")
    return lines


def _check_name(name: str) -> None:
    current = _rows("SELECT current_user")[0][0]
    if name == current:
        raise UserFault(
            f"{name} is the role that owns the tables. Name another one for the workers"
        )
    if not 0 < len(name.encode()) <= 63 or name.startswith("pg_"):
        raise UserFault(f"{name!r} cannot be the name of a role: 1 to 63 bytes, not 'pg_…'")


def _exists(name: str) -> bool:
    return bool(_rows("SELECT 1 FROM pg_roles WHERE rolname = %s", name))


def _create(name: str) -> None:
    try:
        with transaction.atomic():
            _run(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
    except Exception as error:
        if not isinstance(error.__cause__, InsufficientPrivilege):
            raise
        raise UserFault(
            "The database role of DATABASE_URL may not make roles. Let an administrator run "
            f"CREATE ROLE \"{name}\" LOGIN PASSWORD '…'; and this command again"
        ) from None


def _refuse_mighty(name: str) -> None:
    """Rights by column mean nothing for a role that has others' rights besides."""
    row = _rows(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, "
        "ARRAY(SELECT g.rolname::text FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid "
        "WHERE m.member = r.oid) FROM pg_roles r WHERE rolname = %s",
        name,
    )[0]
    names = ("SUPERUSER", "BYPASSRLS", "CREATEROLE", "CREATEDB", "REPLICATION")
    has = [text for text, held in zip(names, row[:5], strict=True) if held]
    has += [f"membership of {group}" for group in row[5]]
    if has:
        raise UserFault(
            f"The role {name} has {', '.join(has)}, which workers must not have. Take it away "
            "(ALTER ROLE, REVOKE) or name another role"
        )


def _scram(name: str, password: str) -> sql.Literal:
    connection.ensure_connection()
    made = connection.connection.pgconn.encrypt_password(
        password.encode(), name.encode(), b"scram-sha-256"
    )
    return sql.Literal(made.decode())


def _grant(role: sql.Identifier) -> None:
    schema = sql.Identifier(_rows("SELECT current_schema()")[0][0])
    for what in ("TABLES", "SEQUENCES", "FUNCTIONS"):
        _run(
            sql.SQL("REVOKE ALL ON ALL {} IN SCHEMA {} FROM {}").format(sql.SQL(what), schema, role)
        )
    _run(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, role))
    for model, rights in RIGHTS.items():
        for privilege in ("select", "insert", "update"):
            if columns := getattr(rights, privilege):
                _run(
                    sql.SQL("GRANT {} ({}) ON {} TO {}").format(
                        sql.SQL(privilege.upper()),
                        sql.SQL(", ").join(map(sql.Identifier, columns)),
                        sql.Identifier(model._meta.db_table),
                        role,
                    )
                )
    _run(sql.SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(sql.SQL(_FUNCTION), role))


def _held(name: str) -> Iterable[tuple[str, str, str]]:
    """(table, column or '*', privilege) that the role has in our schema, by whatever way."""
    tables = (
        "FROM pg_class c CROSS JOIN unnest(%s::text[]) p(privilege) {join} "
        "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r','p','v','m')"
    )
    columns = _rows(
        "SELECT c.relname, a.attname, p.privilege "
        + tables.format(join="JOIN pg_attribute a ON a.attrelid = c.oid")
        + " AND a.attnum > 0 AND NOT a.attisdropped"
        " AND has_column_privilege(%s, c.oid, a.attnum, p.privilege)",
        ["SELECT", "INSERT", "UPDATE", "REFERENCES"],
        name,
    )
    whole = _rows(
        "SELECT c.relname, '*', p.privilege "
        + tables.format(join="")
        + " AND has_table_privilege(%s, c.oid, p.privilege)",
        ["DELETE", "TRUNCATE", "TRIGGER"],
        name,
    )
    return [(table, column, right) for table, column, right in (*columns, *whole)]


def _run(statement: sql.Composable) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _rows(query: str, *values: str | list[str]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())
