"""PostgreSQL: does it answer, is it new enough, does it keep what it is given."""

import time
from collections.abc import Iterator

from django.conf import settings

from deploy.asking import NoAnswer, ask_database
from deploy.doctor.finding import Finding, fail, ok, warn
from deploy.health import migrations_of_this_version
from deploy.servers.programs import OLDEST_POSTGRES

PART = "database"
APART_S, FAR_APART_S = 1.0, 10.0
LONG_TRANSACTION_S = 600.0

# Setting: the right value, whether another one loses results, what it means.
_SETTINGS = {
    "fsync": ("on", True, "a crash of the machine can destroy the whole database"),
    "full_page_writes": ("on", True, "a crash of the machine can destroy pages"),
    "synchronous_commit": ("on", False, "a crash can lose the results of the last second"),
    "default_transaction_isolation": ("read committed", True, "claims and results rely on it"),
    "server_encoding": ("UTF8", True, "names may hold any character"),
}


def look_at_database() -> Iterator[Finding]:
    """Version, settings, role, room, clock and migrations."""
    names = ", ".join(f"current_setting('{name}')" for name in _SETTINGS)
    before = time.time()
    try:
        found = ask_database(
            [
                "SELECT current_setting('server_version_num'), current_setting('server_version')",
                f"SELECT {names}",
                "SELECT current_user, rolsuper, rolcreaterole, rolcreatedb "
                "FROM pg_roles WHERE rolname = current_user",
                "SELECT count(*), current_setting('max_connections')::int "
                "- current_setting('superuser_reserved_connections')::int "
                "FROM pg_stat_activity WHERE backend_type = 'client backend'",
                "SELECT extract(epoch FROM clock_timestamp())",
                "SELECT coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)), 0) "
                "FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid()",
                "SELECT pg_size_pretty(pg_database_size(current_database()))",
                "SELECT to_regclass('django_migrations')",
            ],
            within_s=5,
        )
    except NoAnswer as error:
        yield fail(
            PART,
            f"PostgreSQL {error}",
            "look whether it runs and is reached at the address in DATABASE_URL "
            "(`python3 manage.py settings` tells which are set)",
        )
        return
    after = time.time()
    version, values, role, room, clock, longest, size, migrated = found
    number = int(version[0][0] or 0) // 10_000
    if number < OLDEST_POSTGRES:
        yield fail(PART, f"PostgreSQL {version[0][1]}", f"{OLDEST_POSTGRES} or newer is needed")
    else:
        yield ok(PART, f"PostgreSQL {version[0][1]} answers; {size[0][0]} stored")
    yield from _settings([value or "" for value in values[0]])
    yield from _role([value or "" for value in role[0]])
    yield _room(int(room[0][0] or 0), int(room[0][1] or 0))
    yield _clock(float(clock[0][0] or 0), before, after)
    if float(longest[0][0] or 0) > LONG_TRANSACTION_S:
        yield warn(
            PART,
            f"a transaction has been open for {float(longest[0][0] or 0):.0f} s",
            "it keeps dead rows and the counts from going on: find it in pg_stat_activity "
            "(a backup is such a one, and right)",
        )
    yield from _migrations(migrated[0][0] is not None)


def _settings(values: list[str]) -> Iterator[Finding]:
    wrong = False
    for (name, (right, loses, meaning)), value in zip(_SETTINGS.items(), values, strict=True):
        if value != right:
            wrong = True
            make = fail if loses else warn
            yield make(PART, f"{name} is {value}: {meaning}", f"set it to {right}")
    if not wrong:
        yield ok(PART, f"{', '.join(_SETTINGS)} are as they should be")


def _role(role: list[str]) -> Iterator[Finding]:
    name, superuser, creates_roles, _ = role
    if superuser == "t" and settings.DATABASES["default"]["HOST"].startswith("/"):
        yield ok(PART, f"the role {name} is a superuser, of a server of this machine alone")
    elif superuser == "t":
        yield warn(
            PART,
            f"the role {name} is a superuser",
            "give the service a role that owns its database and nothing else",
        )
    else:
        more = "; it can make the workers' role" if creates_roles == "t" else ""
        yield ok(PART, f"the role {name} is no superuser{more}")


def _room(used: int, most: int) -> Finding:
    what = f"{used} of {most} connections are in use"
    if used > 0.8 * most:
        return warn(PART, what, "raise max_connections, or run fewer threads and workers")
    return ok(PART, what)


def _clock(theirs: float, before: float, after: float) -> Finding:
    """The answer was given between two looks at our own clock."""
    apart = max(theirs - after, before - theirs, 0.0)
    what = f"its clock and this machine's are {apart:.1f} s apart"
    helps = "let both follow the same time server (chrony, systemd-timesyncd)"
    if apart > FAR_APART_S:
        return fail(PART, what, helps)
    return warn(PART, what, helps) if apart > APART_S else ok(PART, what)


def _migrations(table: bool) -> Iterator[Finding]:
    known = migrations_of_this_version()
    applied: set[tuple[str, str]] = set()
    if table:
        [rows] = ask_database(["SELECT app, name FROM django_migrations"])
        applied = {(app or "", name or "") for app, name in rows}
    missing = sorted(known - applied)
    apps = {app for app, _ in known}
    newer = sorted(row for row in applied - known if row[0] in apps)
    if missing:
        yield fail(
            PART,
            f"{len(missing)} migrations are not applied, {'.'.join(missing[0])} first",
            "run `python3 manage.py migrate`",
        )
    elif newer:
        yield warn(
            PART,
            f"it has migrations of a newer version ({'.'.join(newer[0])})",
            "right in the middle of an upgrade; afterwards bring this machine to that version",
        )
    else:
        yield ok(PART, f"all {len(known)} migrations are applied")
