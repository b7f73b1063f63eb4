"""The tables match the models, databases of development versions open, and web servers of the base state go
on serving while later migrations are applied."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.db.migrations import Migration, operations
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Field

from campaigns.models import Campaign
from campaigns.operations import readiness
from campaigns.operations.migration_history import check_history
from config.embedded.migrations import migrations_on_disk
from tests.campaigns.operations.everything import full_campaign

# The oldest state from which a site is upgraded while it serves.
BASE = "0012_lab"
# Columns, as (model, field), with other choices or another help text, of which no database knows, and columns
# with another default or a longer text, for which Postgres changes only its catalogue.
ROWS_STAY = {("campaign", "method"), ("topic", "method"), ("campaign", "topic_choice")}


@pytest.mark.django_db
def test_the_tables_match_the_models() -> None:
    said = io.StringIO()
    try:
        call_command("makemigrations", "--check", "--dry-run", stdout=said)
    except SystemExit:
        pytest.fail(f"a migration is missing:\n{said.getvalue()}", pytrace=False)


def own_names() -> list[str]:
    return [name for app, name in MigrationLoader(None).disk_migrations if app == "campaigns"]


def forget(*names: str) -> None:
    """Make the database's history that of a program without these migrations."""
    MigrationRecorder(connection).Migration.objects.filter(app="campaigns", name__in=names).delete()


@pytest.mark.django_db
def test_a_database_of_the_replaced_migrations_opens_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_migrated", False)
    forget(*(name for name in own_names() if name <= BASE))
    before = full_campaign()
    said = io.StringIO()
    call_command("migrate", interactive=False, stdout=said)
    assert "No migrations to apply." in said.getvalue()
    assert migrations_on_disk() <= set(MigrationRecorder(connection).applied_migrations())
    assert readiness._migrations_are_applied()
    assert list(Campaign.objects.all()) == [before]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "last", ["0001_initial", "0030_topic_order", "0047_lab_grades", "0055_log_privileges"]
)
def test_a_database_of_an_older_development_version_is_refused(
    last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "_migrated", False)
    replaced = sorted(name for one in MigrationLoader(None).replacements.values() for _, name in one.replaces)
    lacking = replaced[replaced.index(last) + 1 :]
    forget(*own_names(), *lacking)
    with pytest.raises(CommandError, match=r"development version before 0\.1\.0: it lacks .*interrupted"):
        call_command("migrate", interactive=False)
    assert not readiness._migrations_are_applied()


@pytest.mark.django_db
def test_a_first_migrate_that_was_interrupted_may_go_on() -> None:
    """Django records a squashed migration together with the ones that it replaces."""
    loader = MigrationLoader(None)
    last = loader.disk_migrations["campaigns", BASE]
    forget(*(name for name in own_names() if name >= BASE), *(name for _, name in last.replaces))
    check_history(MigrationRecorder(connection).applied_migrations(), "The database")
    executor = MigrationExecutor(connection)
    planned = [one.name for one, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]
    assert planned == [name for name in sorted(own_names()) if name >= BASE]


def later_migrations() -> dict[str, Migration]:
    """What an upgrade from the base state applies while the web servers of that state still serve."""
    loader = MigrationLoader(None)
    names = sorted(name for app, name in loader.disk_migrations if app == "campaigns" and name > BASE)
    return {name: loader.disk_migrations["campaigns", name] for name in names}


def obstacles(migration: Migration) -> list[str]:
    """Operations that break a web server of the older state, or hold a lock on a table that it writes."""
    created = {one.name.lower() for one in migration.operations if isinstance(one, operations.CreateModel)}
    return [
        one.describe()
        for one in migration.operations
        if not isinstance(one, operations.CreateModel | AddIndexConcurrently)
        and getattr(one, "model_name", "").lower() not in created
        and not (isinstance(one, operations.AddField) and is_filled_by_the_database(one.field))
        and not (isinstance(one, operations.AlterField) and leaves_the_rows_alone(one))
        and not (isinstance(one, operations.AlterField) and drops_a_constraint(one.field))
        and not (isinstance(one, operations.RunSQL) and updates_few_rows(one.sql))
        and not (isinstance(one, operations.RunSQL) and fills_a_new_table(one.sql, created))
        and not (isinstance(one, operations.RunSQL) and makes_a_function(one.sql))
        and not (isinstance(one, operations.RunSQL) and indexes_accounts(one.sql))
        and not (isinstance(one, operations.RunSQL) and adds_a_trigger(one.sql, migration))
    ]


def indexes_accounts(sql: Any) -> bool:
    """A site has few accounts: an index of theirs takes milliseconds."""
    return (
        isinstance(sql, str)
        and sql.count("CREATE") == sql.count("INDEX auth_user_folded ON auth_user (") == 1
    )


def updates_few_rows(sql: Any) -> bool:
    """A site has few collections and campaigns, and few topics with options of their own; old code waits for
    their rows until the migration has committed."""
    statements = [one.strip() for one in sql.split(";") if one.strip()] if isinstance(sql, str) else []
    tables = tuple(f"UPDATE campaigns_{name} " for name in ("collection", "campaign", "topic"))
    return bool(statements) and all(
        one.startswith(tables) and (one.startswith(tables[0]) or "WHERE" in one) for one in statements
    )


def fills_a_new_table(sql: Any, created: set[str]) -> bool:
    """Old code does not know the table."""
    words = sql.split(maxsplit=3) if isinstance(sql, str) and ";" not in sql else []
    return words[:2] == ["INSERT", "INTO"] and words[2].removeprefix("campaigns_") in created


def makes_a_function(sql: Any) -> bool:
    """Old code does not call it."""
    if not isinstance(sql, str):
        return False
    body, _, rest = sql.rpartition("$$")
    return body.split()[:2] == ["CREATE", "FUNCTION"] and rest.split()[:2] in ([], [";", "REVOKE"])


def adds_a_trigger(sql: Any, migration: Migration) -> bool:
    """Old code writes as before. The migration holds the table's lock already, for a column of it."""
    widened = {one.model_name for one in migration.operations if isinstance(one, operations.AddField)}
    words = sql.split() if isinstance(sql, str) and ";" not in sql else []
    return words[:2] == ["CREATE", "TRIGGER"] and any(f"campaigns_{name}" in words for name in widened)


def is_filled_by_the_database(field: Field[Any, Any]) -> bool:
    """Old code inserts rows without it. A constant default rewrites no table."""
    return field.null or field.has_db_default() or field.many_to_many is True


def leaves_the_rows_alone(change: operations.AlterField) -> bool:
    return (change.model_name.lower(), change.name) in ROWS_STAY


def drops_a_constraint(field: Field[Any, Any]) -> bool:
    """Old code keeps to the constraint anyway. Dropping it neither reads nor rewrites the table."""
    return isinstance(field, models.ForeignKey) and not getattr(field, "db_constraint", True)


def test_later_migrations_only_add_what_the_database_fills() -> None:
    found = {name: obstacles(migration) for name, migration in later_migrations().items()}
    assert {name: one for name, one in found.items() if one} == {}


@pytest.mark.parametrize(
    "operation",
    [
        operations.RemoveField("judgment", "grade"),
        operations.RenameField("judgment", "grade", "mark"),
        operations.DeleteModel("Judgment"),
        operations.RenameModel("Judgment", "Act"),
        operations.AddField("judgment", "mood", models.TextField(default="")),
        operations.AlterField("judgment", "grade", models.TextField()),
        operations.AddIndex("judgment", models.Index(fields=["grade"], name="by_grade")),
        operations.RunSQL("UPDATE campaigns_judgment SET grade = 0"),
        operations.RunSQL("INSERT INTO campaigns_judgment SELECT * FROM campaigns_repeat"),
    ],
    ids=lambda operation: operation.__class__.__name__,
)
def test_what_breaks_or_blocks_old_code_is_found(operation: operations.base.Operation) -> None:
    bad = type("Bad", (Migration,), {"operations": [operation]})
    assert obstacles(bad("9999_bad", "campaigns")) != []


@pytest.mark.django_db
def test_code_of_the_base_state_reads_and_writes_every_table_of_the_new_schema() -> None:
    """Its models read a row of each table, and insert it again, naming only the columns that they know."""
    full_campaign()
    old = MigrationLoader(connection).project_state(("campaigns", BASE)).apps
    written = set()
    for model in old.get_app_config("campaigns").get_models():
        rows = model._default_manager
        if (row := rows.first()) is not None:
            rows.filter(pk=row.pk)._raw_delete("default")
            rows.bulk_create([row])
            written.add(model.__name__)
    assert {"Judgment", "Claim", "Event", "LogHead", "Deed", "Membership", "Priority"} <= written
    assert len(written) >= 30
    # The database looks at foreign keys when a transaction ends.
    connection.check_constraints()
