"""Bring a backup back, into an installation that has nothing yet.

Everything of the backup is checked before anything is written. Files come first, as everywhere;
then all rows in one transaction, so a restore that breaks off has changed no row and can be run
again. The schema is made by the migrations that the backup had, and brought to this version's last.
"""

import gzip
import hashlib
from pathlib import Path
from typing import Any

import psycopg
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from deploy.asking import database_parameters
from deploy.backup import (
    BackupError,
    Manifest,
    Say,
    check,
    columns_of,
    inside,
    listed_files,
    table_names,
)
from tournaments.dispatch.files import wait_once

# What the migrations write themselves: with these alone a database is empty.
OF_MIGRATIONS = {"django_migrations", "django_content_type", "auth_permission"}
_BLOCK = 2**20


def bring_back(folder: Path, *, overwrite: bool, say: Say) -> Manifest:
    """Restore a backup. `overwrite` throws away the rows that are there now.

    BackupError says what is in the way; nothing has been changed then, except that files of the
    backup may lie in the storage already, where they do no harm.
    """
    say("Checking every hash of the backup")
    manifest = check(folder)
    executor = MigrationExecutor(connection)
    _check_known(manifest, executor)
    with psycopg.connect(**database_parameters()) as target:
        _check_target(target, manifest, overwrite)
    _bring_files(folder, say)
    connection.close()
    _migrate_to(manifest, say)
    with psycopg.connect(**database_parameters()) as target:
        _load(target, folder, manifest, say)
    _migrate_on(say)
    return manifest


def _check_known(manifest: Manifest, executor: MigrationExecutor) -> None:
    known = executor.loader.disk_migrations or {}
    unknown = [f"{app}.{name}" for app, name in manifest.migrations if (app, name) not in known]
    if unknown:
        raise BackupError(
            f"the backup is of version {manifest.version} and has migrations that this one lacks "
            f"({unknown[0]}). What helps: restore with that version or a newer one"
        )


def _check_target(target: psycopg.Connection[Any], manifest: Manifest, overwrite: bool) -> None:
    tables = table_names(target)
    full = [name for name in tables if name not in OF_MIGRATIONS and _has_rows(target, name)]
    if full and not overwrite:
        raise BackupError(
            f"the database is not empty: {', '.join(full[:3])}"
            + (f" and {len(full) - 3} more tables have rows" if len(full) > 3 else " has rows")
            + ". What helps: a new database in DATABASE_URL, or --overwrite, which throws away "
            "what is there now"
        )
    if "django_migrations" in tables:
        applied = target.execute("SELECT app, name FROM django_migrations").fetchall()
        more = sorted({tuple(row) for row in applied} - {tuple(m) for m in manifest.migrations})
        if more:
            raise BackupError(
                f"the database has migrations that the backup has not ({more[0][0]}.{more[0][1]})"
                ". What helps: a database without tables in DATABASE_URL; they are made here"
            )
    if full:
        _check_alone(target)


def _has_rows(target: psycopg.Connection[Any], table: str) -> bool:
    found = target.execute(
        sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(table))
    ).fetchone()
    return bool(found and found[0])


def _check_alone(target: psycopg.Connection[Any]) -> None:
    row = target.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND pid <> %s",
        [connection.connection.info.backend_pid if connection.connection else 0],
    ).fetchone()
    if row and row[0]:
        raise BackupError(
            f"{row[0]} other sessions use the database. What helps: stop the service first"
        )


def _bring_files(folder: Path, say: Say) -> None:
    with wait_once():
        _bring_each(folder, say)


def _bring_each(folder: Path, say: Say) -> None:
    for number, file in enumerate(listed_files(folder), 1):
        source = inside(folder / "files", file.name)
        if default_storage.exists(file.name):
            if _stored_sha256(file.name) == file.sha256:
                continue
            raise BackupError(
                f"the storage has another file {file.name!r} already. What helps: an empty "
                "storage (SLAYER_DATA_DIR, or another bucket)"
            )
        with source.open("rb") as data:
            stored = default_storage.save(file.name, File(data))
        if stored != file.name:
            default_storage.delete(stored)
            raise BackupError(f"the storage does not take the name {file.name!r}")
        if number % 10_000 == 0:
            say(f"{number} files")


def _stored_sha256(name: str) -> str:
    digest = hashlib.sha256()
    with default_storage.open(name, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _migrate_to(manifest: Manifest, say: Say) -> None:
    """Make the tables as they were: by the migrations that the backup had, and no others."""
    executor = MigrationExecutor(connection)
    executor.loader.check_consistent_history(connection)
    had = {(app, name) for app, name in manifest.migrations}
    graph = executor.loader.graph
    last = [
        node
        for node in sorted(had)
        if node in graph.nodes
        and not any(
            child.key in had and child.key[0] == node[0] for child in graph.node_map[node].children
        )
    ]
    say(f"Making the tables: {len(had)} migrations")
    executor.migrate(last)
    connection.close()


def _migrate_on(say: Say) -> None:
    say("Bringing them to this version")
    call_command("migrate", verbosity=0, interactive=False)


def _load(target: psycopg.Connection[Any], folder: Path, manifest: Manifest, say: Say) -> None:
    """All rows in one transaction.

    Foreign keys are taken away for it and made anew: that checks each once over the whole table,
    instead of remembering every row to be checked at the end.
    """
    there = set(table_names(target))
    names = [table.name for table in manifest.tables]
    missing = sorted(set(names) - there)
    if missing:
        raise BackupError(f"the migrations make no table {missing[0]!r}, which the backup has")
    target.execute(
        sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(map(sql.Identifier, sorted(there))))
    )
    keys = _foreign_keys(target)
    for of, name, _ in keys:
        target.execute(
            sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(
                sql.Identifier(of), sql.Identifier(name)
            )
        )
    for table in manifest.tables:
        unknown = set(table.columns) - set(columns_of(target, table.name))
        if unknown:
            raise BackupError(f"{table.name} has no column {sorted(unknown)[0]!r}")
        _load_table(target, folder / "tables" / f"{table.name}.copy.gz", table)
        say(f"{table.name}: {table.rows} rows")
    say(f"Checking {len(keys)} foreign keys")
    for of, name, definition in keys:
        target.execute(
            sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {}").format(
                sql.Identifier(of), sql.Identifier(name), sql.SQL(definition)
            )
        )
    for sequence, following in manifest.sequences.items():
        target.execute(
            "SELECT setval(%s::regclass, %s, false)", [f'"{sequence}"', max(1, following)]
        )
    target.commit()
    target.autocommit = True
    target.execute("ANALYZE")


def _foreign_keys(target: psycopg.Connection[Any]) -> list[tuple[str, str, Any]]:
    """Table, name and definition of every foreign key of the schema."""
    return target.execute(
        "SELECT r.relname, c.conname, pg_get_constraintdef(c.oid) FROM pg_constraint c "
        "JOIN pg_class r ON r.oid = c.conrelid WHERE c.contype = 'f' AND c.conparentid = 0 "
        "AND c.connamespace = current_schema()::regnamespace ORDER BY 1, 2"
    ).fetchall()


def _load_table(target: psycopg.Connection[Any], path: Path, table: Any) -> None:
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table.name), sql.SQL(", ").join(map(sql.Identifier, table.columns))
    )
    with gzip.open(path, "rb") as rows, target.cursor() as cursor:
        with cursor.copy(statement) as copy:
            while block := rows.read(_BLOCK):
                copy.write(block)
        if cursor.rowcount != table.rows:
            raise BackupError(f"{path} gave {cursor.rowcount} rows; the manifest says {table.rows}")
