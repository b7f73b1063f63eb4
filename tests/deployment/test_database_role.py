"""Backup and restore as in Compose: Postgres and Redis ask for passwords, and the site owns no table."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg2
import pytest
from psycopg2.errors import InsufficientPrivilege

from config.embedded import postgres
from config.embedded.machine import PROJECT, places_at, take_port
from config.embedded.postgres import home_at
from config.embedded.processes import Child, Program
from config.embedded.server_programs import redis_program
from config.embedded.supervisor import stop_together
from config.embedded.vital_signs import broker_answers
from tests.config.embedded.supervisor_process import bare_environment
from tests.deployment.compose import SERVICES, environment_of
from tests.deployment.topology import FILLED_IN, site_role
from tests.plumbing.idle import wait_for
from tests.plumbing.programs import finished

ACCESS = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
DOCUMENTED = (PROJECT / "docs" / "operations.md").read_text()


class Servers:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._home = home_at(places_at(folder / "data"))
        self._ports = {"database": _free_port(), "broker": _free_port()}
        self.children: list[Child] = []

    def start(self) -> None:
        postgres.prepare(self._home, forgetful=True)
        (self._home.data / "pg_hba.conf").write_text(ACCESS)
        usual = postgres.program(self._home, forgetful=True)
        options = ["-c", "listen_addresses=127.0.0.1", "-c", f"port={self._ports['database']}"]
        self._run(replace(usual, command=[*usual.command, *options]))
        # The first word is another one where Redis comes from a wheel.
        words = [
            word.replace("${REDIS_PASSWORD:?fill in .env}", FILLED_IN["REDIS_PASSWORD"])
            for word in SERVICES["broker"]["command"][1:]
        ]
        options = ["--port", str(self._ports["broker"]), "--dir", str(self._folder)]
        self._run(Program("redis", [str(redis_program()), *words, *options]))
        wait_for(self._are_up)
        with closing(self._connect("postgres")) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute("ALTER ROLE assess PASSWORD %s", [FILLED_IN["POSTGRES_PASSWORD"]])
                cursor.execute("CREATE DATABASE assess")
                cursor.execute("CREATE DATABASE restored")

    def environment(self, service: str, database: str = "assess") -> dict[str, str]:
        given = environment_of(service, FILLED_IN)
        for name, host in (("DATABASE_URL", "database"), ("REDIS_URL", "broker")):
            plain = given[name].replace(":6379", "")
            given[name] = plain.replace(f"@{host}", f"@127.0.0.1:{self._ports[host]}")
        given["DATABASE_URL"] = given["DATABASE_URL"].removesuffix("assess") + database
        return bare_environment(**given, DATA_DIR=str(self._folder / "unused"))

    def _run(self, program: Program) -> None:
        self.children.append(Child(program, self._folder / f"{program.name}.log", mark=str(self._folder)))
        self.children[-1].start()

    def _are_up(self) -> bool:
        try:
            self._connect("postgres").close()
        except psycopg2.OperationalError:
            return False
        return broker_answers(self.environment("web")["REDIS_URL"])

    def _connect(self, database: str) -> psycopg2.extensions.connection:
        return psycopg2.connect(
            host=str(self._home.sockets), port=self._ports["database"], user="assess", dbname=database
        )


def _free_port() -> int:
    with take_port("127.0.0.1", 0) as held:
        return int(held.getsockname()[1])


@pytest.fixture
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    folder = tmp_path_factory.mktemp("servers")
    made = Servers(folder)
    try:
        made.start()
        yield made
    finally:
        stop_together(made.children, grace=3)


def run(environment: dict[str, str], *arguments: str) -> str:
    done = finished([sys.executable, *arguments], env=environment, cwd=PROJECT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def documented(command: str, backups: Path) -> tuple[str, list[str]]:
    """The service of the page's example in Compose that runs this command, and what it runs."""
    lines = DOCUMENTED.replace("\\\n", "").splitlines()
    found = next(line for line in lines if "docker compose run" in line and f"manage.py {command}" in line)
    before, words = found.split(" python ")
    return before.split()[-1], shlex.split(words.replace("/backups", str(backups), 1))


def documents(url: str) -> list[tuple[str, str]]:
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT docno, title FROM campaigns_document ORDER BY docno")
        return list(cursor.fetchall())


def test_documented_commands_back_up_and_restore_under_the_roles_of_compose(
    servers: Servers, tmp_path: Path
) -> None:
    owner, site = servers.environment("migrate"), servers.environment("web")
    assert site_role(owner["DATABASE_URL"]) == site["DATABASE_URL"]
    run(owner, "manage.py", "migrate", "--no-input", "--verbosity", "0")
    run({**site, "DJANGO_SETTINGS_MODULE": "config.settings"}, "-m", "tests.faults.campaign_data", "1")
    with closing(psycopg2.connect(site["DATABASE_URL"])) as connection, connection.cursor() as cursor:  # noqa: SIM117
        with pytest.raises(InsufficientPrivilege):
            cursor.execute("DROP TABLE campaigns_judgment")
    service, command = documented("backup", tmp_path)
    assert "checked" in run(servers.environment(service), *command)
    service, command = documented("restore", tmp_path)
    new = servers.environment(service, "restored")
    site_role(new["DATABASE_URL"])
    assert "restored, checked" in run(new, *command)
    # The role reads and writes the restored tables, too.
    again = servers.environment("web", "restored")
    run(again, "manage.py", "createsuperuser", "--no-input", "--username", "eve", "--email", "")
    before, after = (documents(environment["DATABASE_URL"]) for environment in (site, again))
    assert len(before) > 1000
    assert after == before
