"""Migrations run while the previous version serves: they are walked, operation by operation; and a
database of the first version is taken to today's with rows in every table."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, migrations, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import F, Field, GeneratedField
from django.db.models.fields import NOT_PROVIDED
from django.db.models.functions import Now

from tests.deploy.migration_safety import problems

ROOMS = ("bots", "tournaments")
FIRST = [("bots", "0001_initial"), ("tournaments", "0001_initial")]
# (room, migration): why it is safe all the same, such as a column that no version uses any more.
AGREED: dict[tuple[str, str], str] = {}


def later_migrations() -> Iterator[tuple[migrations.Migration, ProjectState]]:
    """Every migration after the first of a room, with the state before it."""
    loader = MigrationLoader(None)
    for room, name in sorted(loader.disk_migrations):
        if room in ROOMS and not name.startswith("0001_"):
            yield (
                loader.disk_migrations[room, name],
                loader.project_state((room, name), at_end=False),
            )


def test_every_migration_can_run_while_the_previous_version_serves() -> None:
    found = [
        problem
        for migration, before in later_migrations()
        if (migration.app_label, migration.name) not in AGREED
        for problem in problems(migration, before)
    ]
    assert not found, "\n".join(found)


def test_each_room_has_one_last_migration() -> None:
    loader = MigrationLoader(None)
    assert loader.detect_conflicts() == {}


@pytest.fixture
def before() -> ProjectState:
    state = ProjectState()
    key = ("id", models.BigAutoField(primary_key=True))
    rows = [
        key,
        ("name", models.CharField(max_length=20)),
        ("note", models.TextField(null=True)),
        ("size", models.IntegerField(db_default=1)),
    ]
    for name in ("Match", "Bracket"):
        migrations.CreateModel(name, rows).state_forwards("tournaments", state)
    return state


INDEX = models.Index(fields=["name"], name="by_name")
CHECK = models.CheckConstraint(condition=models.Q(size__gt=0), name="positive")


@pytest.mark.parametrize(
    ("operation", "way_out"),
    [
        (migrations.RemoveField("match", "note"), "Let a version go by"),
        (migrations.DeleteModel("Match"), "Let a version go by"),
        (migrations.RenameField("match", "name", "title"), "Add the new one, write both"),
        (migrations.RenameModel("Match", "Game"), "Add the new one"),
        (migrations.AlterModelTable("match", "games"), "Add the new one"),
        (migrations.AddField("match", "a", models.IntegerField()), "null=True or a db_default"),
        (
            migrations.AddField("match", "a", models.IntegerField(default=3)),
            "null=True or a db_default",
        ),
        (migrations.AddField("match", "a", models.DateTimeField(db_default=Now())), "computed"),
        (
            migrations.AddField("match", "a", models.IntegerField(null=True, unique=True)),
            "then a constraint",
        ),
        (
            migrations.AddField("match", "a", models.IntegerField(null=True, db_index=True)),
            "then AddIndexConcurrently",
        ),
        (
            migrations.AddField(
                "match",
                "a",
                GeneratedField(
                    expression=F("size") + 1, output_field=models.IntegerField(), db_persist=True
                ),
            ),
            "compute it when it is read",
        ),
        (migrations.AlterField("match", "name", models.CharField(max_length=10)), "another column"),
        (migrations.AlterField("match", "size", models.TextField(db_default=1)), "another column"),
        (migrations.AlterField("match", "note", models.TextField()), "may write NULL"),
        (migrations.AlterField("match", "size", models.IntegerField()), "gives no value"),
        (
            migrations.AlterField("match", "name", models.CharField(max_length=20, unique=True)),
            "same value twice",
        ),
        (migrations.AddIndex("match", INDEX), "AddIndexConcurrently, with atomic = False"),
        (AddIndexConcurrently("match", INDEX), "needs atomic = False"),
        (migrations.AddConstraint("match", CHECK), "AddConstraintNotValid"),
        (migrations.RunPython(migrations.RunPython.noop), "a command that runs beside"),
        (migrations.RunSQL("UPDATE tournaments_match SET size = 2"), "UPDATE"),
        (migrations.RunSQL("alter table tournaments_match drop column note"), "alter table"),
        (migrations.RunSQL([("CREATE INDEX x ON y (z)", None)]), "CREATE INDEX"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value[:20],
)
def test_what_the_previous_version_would_not_survive_is_refused(
    before: ProjectState, operation: Any, way_out: str
) -> None:
    made_up = migrations.Migration("0099_made_up", "tournaments")
    made_up.operations = [operation]
    (problem,) = problems(made_up, before)
    assert problem.startswith("tournaments.0099_made_up: ")
    assert way_out in problem


@pytest.mark.parametrize(
    "operation",
    [
        migrations.CreateModel("New", [("id", models.BigAutoField(primary_key=True))]),
        migrations.AddField("match", "a", models.IntegerField(null=True)),
        migrations.AddField("match", "a", models.IntegerField(db_default=3)),
        migrations.AlterField("match", "name", models.CharField(max_length=40, help_text="x")),
        migrations.AlterField("match", "name", models.TextField()),
        migrations.AlterField("match", "name", models.CharField(max_length=20, null=True)),
        migrations.AddIndex("bracket", INDEX),
        migrations.RunSQL("CREATE INDEX CONCURRENTLY x ON y (z)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_it_survives_is_not(before: ProjectState, operation: Any) -> None:
    made_up = migrations.Migration("0099_made_up", "tournaments")
    made_up.operations = [operation]
    assert list(problems(made_up, before)) == []


@pytest.fixture
def empty_database(transactional_db: None) -> Iterator[None]:
    """Django's connection leads to an empty database beside the test's own meanwhile."""
    name = connection.settings_dict["NAME"]
    beside = f"{name}_old"
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{beside}"')
        cursor.execute(f'CREATE DATABASE "{beside}"')
    lead_to(beside)
    try:
        yield
    finally:
        lead_to(name)
        with connection.cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{beside}"')


def lead_to(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name


class Rows:
    """One row of each model, of the version whose models they are; `mark` tells them apart."""

    def __init__(self, apps: Any, mark: str) -> None:
        self.apps, self.mark = apps, mark
        self.made: dict[str, models.Model] = {}
        for room in ROOMS:
            for model in apps.get_app_config(room).get_models():
                self.one(model._meta.label)

    def one(self, label: str) -> models.Model:
        if label not in self.made:
            model = self.apps.get_model(label)
            needed = [field for field in model._meta.concrete_fields if self._needed(field)]
            values = {field.attname: self._value(field) for field in needed}
            self.made[label] = model._base_manager.create(**values)
        return self.made[label]

    @staticmethod
    def _needed(field: Field) -> bool:
        return not (
            field.primary_key
            or field.null
            or field.has_default()
            or field.db_default is not NOT_PROVIDED
            or isinstance(field, GeneratedField)
            or getattr(field, "auto_now_add", False)
        )

    def _value(self, field: Field) -> Any:
        if field.remote_field:
            return self.one(field.related_model._meta.label).pk
        kinds: list[tuple[type[Field], Any]] = [
            (ArrayField, []),
            (models.JSONField, {}),
            (models.UUIDField, uuid4()),
            (models.DateTimeField, datetime(2026, 1, 1, tzinfo=UTC)),
            (models.BooleanField, False),
            (models.FloatField, 1.0),
            (models.IntegerField, 1),
            (models.EmailField, f"{self.mark}@example.org"),
            (models.CharField, self.mark),
            (models.FileField, f"a/{self.mark}"),
            (models.TextField, self.mark),
        ]
        return next(value for kind, value in kinds if isinstance(field, kind))


def migrate(*targets: tuple[str, str]) -> Any:
    """Migrate to the targets, or to today; the models of that version."""
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    others = [leaf for leaf in leaves if leaf[0] not in ROOMS]
    return executor.migrate([*targets, *others] if targets else leaves).apps


def test_rows_of_the_first_version_stay_and_it_goes_on_writing(empty_database: None) -> None:
    first = migrate(*FIRST)
    before = Rows(first, "x")
    assert len(before.made) > 15

    now = migrate()
    for label, row in before.made.items():
        found = now.get_model(label)._base_manager.get(pk=row.pk)
        found.save()  # today's code reads what was there, and may write it

    # A process of the first version still serves: its statements name the columns it knows, and
    # what it leaves out must have a value.
    after = Rows(first, "y")
    for label, row in after.made.items():
        row.save()
        found = now.get_model(label)._base_manager.get(pk=row.pk)
        for field in found._meta.concrete_fields:
            assert field.null or getattr(found, field.attname) is not None, f"{label}.{field.name}"
