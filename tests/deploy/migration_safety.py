"""Whether a migration can run while the previous version still serves, operation by operation.

The previous version goes on reading and writing its own columns, with no value for new ones, and
waits at each lock. So a migration only adds, and what takes long on a table that grows with the
matches takes no lock meanwhile.
"""

import re
from collections.abc import Iterator

from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations import operations as ops
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Field, ForeignKey, GeneratedField
from django.db.models.expressions import BaseExpression
from django.db.models.fields import NOT_PROVIDED

# Tables that grow with matches or users: an index there takes minutes to build.
GROWS = {
    ("tournaments", name)
    for name in ("match", "contestant", "play", "attempt", "rating", "ratingchange")
} | {("bots", name) for name in ("submission", "notice", "act")}
_CHANGES = re.compile(
    r"\b(ALTER\s+TABLE(?!\s+\w+\s+SET\s*\()|DROP\s+(TABLE|VIEW|SCHEMA|COLUMN)|TRUNCATE|DELETE\s+FROM|UPDATE\s+\w+\s+SET|"
    r"LOCK\s+TABLE|CREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY))\b",
    re.IGNORECASE,
)


def problems(migration: Migration, state: ProjectState) -> Iterator[str]:
    """What the previous version would not survive, and the way out; `state` is that before."""
    state = state.clone()
    new: set[tuple[str, str]] = set()
    for operation in migration.operations:
        label = migration.app_label
        if isinstance(operation, ops.CreateModel):
            new.add((label, operation.name_lower))
        elif (label, _model(operation)) not in new:
            for problem in _of(operation, label, state, atomic=migration.atomic):
                yield f"{label}.{migration.name}: {type(operation).__name__}: {problem}"
        operation.state_forwards(label, state)


def _model(operation: Operation) -> str:
    name = getattr(operation, "model_name", None) or getattr(operation, "name", None) or ""
    return str(name).lower()


def _of(operation: Operation, label: str, state: ProjectState, *, atomic: bool) -> Iterator[str]:
    where = f"{label}.{_model(operation)}"
    grows = (label, _model(operation)) in GROWS
    match operation:
        case ops.SeparateDatabaseAndState():
            for inner in operation.database_operations:
                yield from _of(inner, label, state, atomic=atomic)
        case AddIndexConcurrently() | RemoveIndexConcurrently():
            if atomic:
                yield f"{where}: it needs atomic = False"
        case AddConstraintNotValid() | ValidateConstraint():
            pass
        case ops.AddIndex():
            if grows:
                yield (
                    f"{where} cannot be written while the index is built: use "
                    "AddIndexConcurrently, with atomic = False"
                )
        case ops.AddField():
            yield from _new_field(operation.field, f"{where}.{operation.name}", grows=grows)
        case ops.AlterField():
            old = state.models[label, _model(operation)].get_field(operation.name)
            yield from _changed(old, operation.field, f"{where}.{operation.name}")
        case ops.AlterModelOptions() | ops.AlterModelManagers():
            pass
        case ops.RunSQL():
            for sql in _statements(operation.sql):
                if found := _CHANGES.search(sql):
                    yield (
                        f"'{found[0]}' changes or locks what the previous version uses: say it "
                        "with operations that can be checked"
                    )
        case ops.RunPython():
            yield "rows are rewritten under a lock: do it in a command that runs beside, in steps"
        case ops.AddConstraint():
            yield (
                f"{where}: what the previous version writes may break it. Let a version keep the "
                "rule first; then AddConstraintNotValid, and ValidateConstraint in the next one"
            )
        case ops.RemoveField() | ops.DeleteModel():
            yield (
                f"{where}: the previous version still uses it. Let a version go by that neither "
                "reads nor writes it, then name it in AGREED with the reason"
            )
        case ops.RenameField() | ops.RenameModel() | ops.AlterModelTable():
            yield (
                f"{where}: the previous version knows the old name. Add the new one, write both, "
                "move the readers, then let the old one go"
            )
        case _:
            yield f"{where}: nobody has said that this is safe"


def _new_field(field: Field, where: str, *, grows: bool) -> Iterator[str]:
    if field.many_to_many:
        return  # a table of its own
    if isinstance(field, GeneratedField):
        yield f"{where}: the whole table is written anew under a lock: compute it when it is read"
    elif not field.null and field.db_default is NOT_PROVIDED:
        yield (
            f"{where}: the previous version gives it no value. Give it null=True or a db_default"
        )
    elif isinstance(field.db_default, BaseExpression) and not _constant(field):
        yield f"{where}: a default that is computed writes the table anew: use null=True"
    if field.unique:
        yield f"{where}: a unique index locks the table: add the column, then a constraint"
    elif grows and (field.db_index or isinstance(field, ForeignKey)) and field.db_index:
        yield f"{where}: its index locks the table: db_index=False, then AddIndexConcurrently"


def _constant(field: Field) -> bool:
    from django.db.models import Value

    return isinstance(field.db_default, Value)


def _changed(old: Field, new: Field, where: str) -> Iterator[str]:
    before, after = (each.db_parameters(connection)["type"] for each in (old, new))
    if before != after and not _wider(str(before), str(after)):
        yield f"{where}: {before} becomes {after}: add another column and move over to it"
    if old.null and not new.null:
        yield f"{where}: the previous version may write NULL. Let a version stop that first"
    if new.unique and not old.unique:
        yield f"{where}: the previous version may write the same value twice"
    if old.db_default is not NOT_PROVIDED and new.db_default is NOT_PROVIDED:
        yield f"{where}: whoever relied on the database's default gives no value"
    if old.db_column != new.db_column:
        yield f"{where}: the previous version knows the old name of the column"


def _wider(before: str, after: str) -> bool:
    sizes = [re.fullmatch(r"varchar\((\d+)\)", kind) for kind in (before, after)]
    if sizes[0] and after == "text":
        return True
    return bool(sizes[0] and sizes[1] and int(sizes[1][1]) >= int(sizes[0][1]))


def _statements(sql: object) -> list[str]:
    if isinstance(sql, str):
        return [sql]
    return [each if isinstance(each, str) else each[0] for each in sql]  # type: ignore[attr-defined]
