"""A backup restored on an empty server gives the same site, byte for byte; a bad one changes nothing."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest
from django.core.management import CommandError, call_command

from campaigns.operations.backups.backup import make_backup
from campaigns.operations.backups.manifest import DUMP, KEYS, MANIFEST, checksum, read_manifest
from campaigns.operations.backups.postgres_programs import find_program, server_version
from campaigns.operations.operation_error import OperationError
from config.embedded.machine import PROJECT
from tests.campaigns.exchange.bundles.test_bundles import rich
from tests.campaigns.factories import make_user
from tests.config.embedded.supervisor_process import SERVICES_UP, Supervised, bare_environment, ending
from tests.plumbing.programs import finished
from tests.plumbing.servers.services import pair

DOCUMENTED = (PROJECT / "docs" / "operations.md").read_text()
# Bundles first: each export is noted in the history, which a bundle holds.
EXPORTS = """
import sys, pathlib
from campaigns.exchange.bundles.writer import write_bundle
from campaigns.exchange.exports import EXPORTS
from campaigns.models import Campaign
campaign, folder = Campaign.objects.get(), pathlib.Path({folder!r})
folder.mkdir()
(folder / "bundle").write_bytes(b"".join(write_bundle(campaign, texts=True, pseudonyms=False)))
for name in ("qrels", "prels", "judgments-jsonl", "scores-csv"):
    (folder / name).write_text("".join(EXPORTS[name].lines(campaign, "")))
"""


def documented(command: str) -> list[str]:
    """The first line of the page's shell examples that runs this command."""
    found = re.search(rf"^python (manage\.py {command} .+)$", DOCUMENTED, re.M)
    assert found is not None
    return shlex.split(found[1])


def run(arguments: list[str], environment: dict[str, str], backups: Path) -> subprocess.CompletedProcess[str]:
    local = [part.replace("/srv/backups", str(backups)) for part in arguments]
    return finished([sys.executable, *local], env={**bare_environment(), **environment}, cwd=PROJECT)


def exported(environment: dict[str, str], folder: Path) -> dict[str, bytes]:
    script = EXPORTS.format(folder=str(folder))
    done = run(["manage.py", "shell", "--verbosity", "0", "-c", script], environment, folder)
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.django_db(transaction=True)
def test_documented_commands_restore_the_same_site_on_an_empty_server(
    tmp_path: Path, live_environment: dict[str, str]
) -> None:
    rich(method="C", seed=7)
    made = run(documented("backup"), live_environment, tmp_path)
    assert made.returncode == 0, made.stderr
    assert "checked" in made.stdout
    new = bare_environment(DATA_DIR=str(tmp_path / "new"))
    restored = run(documented("restore"), new, tmp_path)
    assert restored.returncode == 0, restored.stderr + restored.stdout
    before = exported(live_environment, tmp_path / "before")
    services = Supervised(tmp_path / "new", "--services-only", environment=new)
    with ending(services):
        services.await_words(SERVICES_UP)
        after = exported(new, tmp_path / "after")
        services.stop()
    assert before["qrels"].count(b"\n") == 4
    assert before["scores-csv"].count(b"\n") >= 5
    assert after == before


@pytest.fixture
def other_database() -> Iterator[str]:
    """The address of an empty database of its own, on the session's server."""
    server = pair.urls["DATABASE_URL"]
    with closing(psycopg2.connect(server)) as asked:
        asked.autocommit = True
        with asked.cursor() as cursor:
            cursor.execute("CREATE DATABASE restored")
            yield urlsplit(server)._replace(path="/restored").geturl()
            cursor.execute("DROP DATABASE restored WITH (FORCE)")


def users_in(url: str) -> list[str]:
    with closing(psycopg2.connect(url)) as asked, asked.cursor() as cursor:
        cursor.execute("SELECT username FROM auth_user ORDER BY username")
        return [name for (name,) in cursor.fetchall()]


@pytest.mark.django_db(transaction=True)
def test_a_failing_restore_changes_nothing(
    tmp_path: Path, live_environment: dict[str, str], other_database: str
) -> None:
    rich()
    good, bad = tmp_path / "good", tmp_path / "bad"
    make_backup(good)
    shutil.copytree(good, bad)
    # Its manifest agrees with it, and still it ends in the midst of the rows.
    (bad / DUMP).write_bytes((good / DUMP).read_bytes()[:-5_000])
    content = json.loads((bad / MANIFEST).read_text())
    content["files"][DUMP] = checksum(bad / DUMP)
    (bad / MANIFEST).write_text(json.dumps(content))
    environment = {**live_environment, "DATABASE_URL": other_database}

    def restore(folder: Path, *options: str) -> tuple[int, str]:
        done = run(["manage.py", "restore", str(folder), *options], environment, tmp_path)
        return done.returncode, done.stderr

    assert restore(good) == (0, "")
    people = users_in(other_database)
    assert "Small-grace" in people
    with closing(psycopg2.connect(other_database)) as elsewhere:
        with elsewhere, elsewhere.cursor() as cursor:
            cursor.execute("UPDATE auth_user SET username = 'changed' WHERE username = 'Small-grace'")
        code, words = restore(good, "--replace")
        assert code == 1
        assert "1 other connections" in words
    code, words = restore(good)
    assert code == 1
    assert "The database is not empty" in words
    code, words = restore(bad, "--replace")
    assert code == 1
    assert "failed" in words
    assert "changed" in users_in(other_database)
    assert restore(good, "--replace") == (0, "")
    assert users_in(other_database) == people


@pytest.mark.django_db(transaction=True)
def test_a_backup_that_does_not_fit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "backup"
    make_backup(folder)
    for name, pattern in ((MANIFEST, "manifest"), (KEYS, "damaged"), (DUMP, "damaged")):
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[:-7] + b"x")
        with pytest.raises(CommandError, match=pattern):
            call_command("restore", str(folder), replace=True)
        (folder / name).write_bytes(whole)
    content = json.loads((folder / MANIFEST).read_text())
    for changed, pattern in (
        ({"migrations": ["campaigns.9999_later"]}, "newer version of this program.*9999_later"),
        ({"migrations": ["campaigns.0001_initial"]}, "lacks campaigns.0009_origin"),
        ({"postgres": 99}, "made with Postgres 99"),
    ):
        (folder / MANIFEST).write_text(json.dumps({**content, **changed}))
        with pytest.raises(CommandError, match=pattern):
            call_command("restore", str(folder), replace=True)
    (folder / MANIFEST).write_text(json.dumps(content))
    monkeypatch.setattr("django.conf.settings.SECRET_KEY", "another key")
    with pytest.raises(CommandError, match="another SECRET_KEY"):
        call_command("restore", str(folder), replace=True)
    key = json.loads((folder / KEYS).read_text())["SECRET_KEY"]
    monkeypatch.setattr("django.conf.settings.SECRET_KEY_FALLBACKS", [key])
    # The next check, for which nothing is restored.
    make_user("ada")
    with pytest.raises(CommandError, match="The database is not empty"):
        call_command("restore", str(folder))


@pytest.mark.django_db(transaction=True)
def test_a_backup_is_private_whole_and_replaces_none(tmp_path: Path) -> None:
    call_command("backup", str(tmp_path / "one"))
    assert (tmp_path / "one").stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", str(tmp_path / "one"))
    (tmp_path / "one" / "file").touch()
    with pytest.raises(CommandError, match="Cannot write"):
        call_command("backup", str(tmp_path / "one" / "file" / "two"))


@pytest.mark.django_db(transaction=True)
def test_keep_removes_the_oldest_backups_only(tmp_path: Path) -> None:
    for name in ("c", "a", "b"):
        make_backup(tmp_path / name)
        content = json.loads((tmp_path / name / MANIFEST).read_text())
        content["created"] = {"c": "2026-01-01", "a": "2026-01-02", "b": "2026-01-03"}[name]
        (tmp_path / name / MANIFEST).write_text(json.dumps(content))
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / MANIFEST).write_text("{}")
    call_command("backup", str(tmp_path / "new"), keep=2)
    assert {path.name for path in tmp_path.iterdir()} == {"b", "new", "photos"}
    assert read_manifest(tmp_path / "new").rows["campaigns_campaign"] == 0


@pytest.mark.django_db
def test_programs_of_another_version_are_refused(tmp_path: Path) -> None:
    version = server_version()
    assert find_program("pg_dump", version).is_file()
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6'\n")
    old.chmod(0o755)
    with pytest.raises(OperationError, match=rf"No pg_dump of version {version}.*{old} is version 9"):
        find_program("pg_dump", version, [old])
    with pytest.raises(OperationError, match=r"there is none"):
        find_program("pg_dump", version, [])
