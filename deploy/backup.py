"""A copy of everything that cannot be made again: all rows, and the files that they refer to.

Rows are read by COPY in one REPEATABLE READ transaction, so they are of one moment. (pg_dump must
be of the server's version or newer and lies on no worker or web machine; this needs the driver
alone.) A file is written before the row that refers to it and swept only when none does, so the
files of that moment are there afterwards. The copy is a folder:

    manifest.json        what it is, versions, migrations, and the SHA-256 of all that follows
    tables/NAME.copy.gz  COPY's text format, columns as the manifest names them
    files.jsonl          name, size and SHA-256 of each file
    files/…              the files under their names in the storage

It is made under another name and renamed when it is whole; the manifest is written last.
"""

import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.core.files.storage import default_storage
from django.db.models import FileField
from psycopg import sql

from deploy.asking import database_parameters
from tournaments.worker_process import checkout_version

FORMAT = 1
MANIFEST, FILES = "manifest.json", "files.jsonl"
_BLOCK = 2**20
Say = Callable[[str], None]


class BackupError(Exception):
    """A backup cannot be made or used; the message says why and what helps."""


@dataclass(frozen=True)
class Table:
    """One table of a backup: columns in the order of the copy, rows, SHA-256 of its file."""

    name: str
    columns: list[str]
    rows: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a backup is; `sequences` are the next numbers of the tables' keys."""

    format: int
    version: str
    server: str
    taken_at: str
    migrations: list[list[str]]
    tables: list[Table]
    sequences: dict[str, int]
    files: int
    files_bytes: int
    files_sha256: str
    missing: list[str]
    """Files to which rows refer and that the storage did not have."""

    @classmethod
    def of(cls, folder: Path) -> "Manifest":
        """The manifest of a backup; BackupError when there is none that this version reads."""
        try:
            read = json.loads((folder / MANIFEST).read_text())
        except FileNotFoundError:
            raise BackupError(
                f"{folder} is no whole backup: it has no {MANIFEST}, which is written last"
            ) from None
        except (OSError, ValueError) as error:
            raise BackupError(f"{folder / MANIFEST} cannot be read: {error}") from None
        if read.get("format") != FORMAT:
            raise BackupError(
                f"{folder} has format {read.get('format')!r}; this version reads {FORMAT}"
            )
        try:
            tables = [Table(**table) for table in read.pop("tables")]
            return cls(tables=tables, **read)
        except (KeyError, TypeError) as error:
            raise BackupError(f"{folder / MANIFEST} is not whole: {error}") from None


def make(folder: Path, *, say: Say) -> Manifest:
    """Make a backup in a new folder. On any failure nothing stays that passes for one."""
    if folder.exists():
        raise BackupError(f"{folder} exists already; name a new folder")
    part = folder.with_name(folder.name + ".part")
    if part.exists():
        shutil.rmtree(part)  # of one that was killed
    try:
        part.mkdir(parents=True, mode=0o700)
        manifest = _write(part, say)
        _sync(part)
        part.rename(folder)
        _sync(folder.parent)
    except OSError as error:
        raise BackupError(f"{error.strerror or error}: {error.filename or part}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return manifest


def _write(part: Path, say: Say) -> Manifest:
    with psycopg.connect(**database_parameters()) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        taken_at = _one(connection, "SELECT clock_timestamp()").isoformat()
        (part / "tables").mkdir()
        tables = []
        for name in table_names(connection):
            tables.append(_copy_table(connection, name, part / "tables" / f"{name}.copy.gz"))
            say(f"{name}: {tables[-1].rows} rows")
        count, size, sha256, missing = _copy_files(file_names(connection), part, say)
        manifest = Manifest(
            format=FORMAT,
            version=checkout_version(),
            server=_one(connection, "SHOW server_version"),
            taken_at=taken_at,
            migrations=[
                [str(app), str(name)]
                for app, name in connection.execute(
                    "SELECT app, name FROM django_migrations ORDER BY app, name"
                )
            ],
            tables=tables,
            sequences=_sequences(connection),
            files=count,
            files_bytes=size,
            files_sha256=sha256,
            missing=missing,
        )
    text = json.dumps(asdict(manifest), indent=1) + "\n"
    (part / MANIFEST).write_text(text)
    return manifest


def _one(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def table_names(connection: psycopg.Connection[Any]) -> list[str]:
    """All tables of the service's schema."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace "
        "AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1"
    )
    return [name for (name,) in rows]


def columns_of(connection: psycopg.Connection[Any], table: str) -> list[str]:
    """The columns that hold what was written; generated ones follow from them."""
    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 "
        "AND NOT attisdropped AND attgenerated = '' ORDER BY attnum",
        [f'"{table}"'],
    )
    return [name for (name,) in rows]


def _copy_table(connection: psycopg.Connection[Any], name: str, path: Path) -> Table:
    columns = columns_of(connection, name)
    statement = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(
        sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(name)
    )
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as out,
        connection.cursor() as cursor,
    ):
        with cursor.copy(statement) as copy:
            for data in copy:
                out.write(data)
        rows = cursor.rowcount
    return Table(name, columns, rows, sha256_of(path))


def _sequences(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """By sequence, the next number that it gives. Sequences stand outside of transactions, so this
    is read last: a number that was given meanwhile is skipped, none is given twice."""
    names = connection.execute(
        "SELECT c.relname FROM pg_class c WHERE c.relkind = 'S' "
        "AND c.relnamespace = current_schema()::regnamespace ORDER BY 1"
    ).fetchall()
    found = {}
    for (name,) in names:
        row = connection.execute(
            sql.SQL("SELECT last_value, is_called FROM {}").format(sql.Identifier(name))
        ).fetchone()
        assert row is not None
        found[name] = row[0] + (1 if row[1] else 0)
    return found


def file_names(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """The name of every file that a row refers to, once."""
    queries = [
        sql.SQL("SELECT {} FROM {} WHERE {} <> ''").format(
            sql.Identifier(str(field.column)),
            sql.Identifier(model._meta.db_table),
            sql.Identifier(str(field.column)),
        )
        for model in apps.get_models()
        for field in model._meta.local_fields
        if isinstance(field, FileField) and model._meta.managed
    ]
    with connection.cursor("files") as cursor:
        cursor.itersize = 10_000
        cursor.execute(sql.SQL(" UNION ").join(queries) + sql.SQL(" ORDER BY 1"))
        for (name,) in cursor:
            yield name


def _copy_files(names: Iterable[str], part: Path, say: Say) -> tuple[int, int, str, list[str]]:
    """Number, bytes, SHA-256 of the list, and what is missing.

    A file that is lost already must not keep everything else from being saved.
    """
    base = part / "files"
    base.mkdir()
    count = size = 0
    missing: list[str] = []
    with (part / FILES).open("w") as listing:
        for name in names:
            target = inside(base, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                source = default_storage.open(name, "rb")
            except FileNotFoundError:
                missing.append(name)
                continue
            with source, target.open("xb") as out:
                digest, bytes_ = _pass_on(source, out)
            listing.write(json.dumps({"name": name, "size": bytes_, "sha256": digest}) + "\n")
            count, size = count + 1, size + bytes_
            if count % 10_000 == 0:
                say(f"{count} files, {size / 2**20:.0f} MiB")
    return count, size, sha256_of(part / FILES), missing


def inside(base: Path, name: str) -> Path:
    """Where a stored file lies below `base`; BackupError for a name that leads out of it."""
    path = Path(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise BackupError(f"{name!r} is no name of a stored file")
    return base / path


def _pass_on(source: Any, out: Any) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while block := source.read(_BLOCK):
        digest.update(block)
        out.write(block)
        size += len(block)
    return digest.hexdigest(), size


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    """Have what lies at the path written to the disk, not only to its memory."""
    os.sync()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@dataclass(frozen=True)
class StoredFile:
    """One line of a backup's list of files."""

    name: str
    size: int
    sha256: str


def listed_files(folder: Path) -> Iterator[StoredFile]:
    """The files of a backup."""
    with (folder / FILES).open() as listing:
        for line in listing:
            yield StoredFile(**json.loads(line))


def check(folder: Path) -> Manifest:
    """Read a whole backup and compare every hash; BackupError names the first thing amiss."""
    manifest = Manifest.of(folder)
    try:
        for table in manifest.tables:
            path = inside(folder / "tables", f"{table.name}.copy.gz")
            if sha256_of(path) != table.sha256:
                raise BackupError(f"{path} is not what was written: its SHA-256 differs")
        if sha256_of(folder / FILES) != manifest.files_sha256:
            raise BackupError(f"{folder / FILES} is not what was written: its SHA-256 differs")
        count = 0
        for file in listed_files(folder):
            path = inside(folder / "files", file.name)
            if path.stat().st_size != file.size or sha256_of(path) != file.sha256:
                raise BackupError(f"{path} is not what was written: its SHA-256 differs")
            count += 1
    except FileNotFoundError as error:
        raise BackupError(f"{error.filename} is missing from the backup") from None
    if count != manifest.files:
        raise BackupError(f"{folder} lists {count} files; its manifest says {manifest.files}")
    return manifest
