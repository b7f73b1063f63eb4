"""A private Postgres, reachable through one Unix socket only.

Its folders and binaries lie where the identity that it runs as can reach them.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg2

from config.embedded import processes
from config.embedded.machine import (
    NOBODY,
    DataFolders,
    EmbeddedError,
    Identity,
    fingerprint,
    identity_for_postgres,
    open_to_everyone,
)
from config.embedded.processes import Child, Program
from config.embedded.server_programs import INSTALLATION, WHEEL, postgres_programs, postgres_version

OWNER = DATABASE = "assess"
# The role of web, worker and beat, as `deploy/site_role.sh` makes it in Compose.
SITE = "site"
SITE_ROLE = f"""
DO $$ BEGIN CREATE ROLE {SITE} LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {SITE};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {SITE};
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {SITE};
ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO {SITE};
DO $$ BEGIN PERFORM campaigns_restrict_log(); EXCEPTION WHEN undefined_function THEN NULL; END $$;
"""

# Docnos compare as bytes, upper and lower case follow Unicode; the same on every machine.
LOCALE_OPTIONS = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
# Postgres has that locale built in since version 17; before, the system's is as near as can be.
EARLIER_LOCALE_OPTIONS = ["--encoding=UTF8", "--locale=C", "--lc-ctype=C.UTF-8"]
# For data that no one will miss: a power cut may spoil it, and every commit is quicker.
FORGETFUL = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    # Nothing else shall decide when statistics are renewed, and so which plan a test meets.
    "autovacuum=off",
]


# After a crash, the files are synchronised at once and not one by one, which takes seconds on a busy disk.
RECOVERY = ["recovery_init_sync_method=syncfs"] if sys.platform == "linux" else []


@dataclass(frozen=True)
class Home:
    """All of it within reach of `identity`."""

    identity: Identity
    programs: Path
    data: Path
    sockets: Path

    def url(self, database: str = DATABASE, role: str = OWNER) -> str:
        return f"postgres://{role}@/{database}?host={quote(str(self.sockets), safe='')}"


def home_at(places: DataFolders) -> Home:
    identity = identity_for_postgres()
    programs = postgres_programs()
    if identity is not Identity.NOBODY:
        return Home(identity, programs, places.data / "postgres", places.sockets)
    base = _folder_for_nobody(places)
    sockets = _given_to_nobody(base / "sockets")
    return Home(identity, _copied_for_nobody(programs, base), base / "postgres", sockets)


def _folder_for_nobody(places: DataFolders) -> Path:
    base = (
        places.data
        if open_to_everyone(places.data)
        else Path("/var/lib") / f"assess-{fingerprint(places.data)}"
    )
    base.mkdir(mode=0o755, exist_ok=True)
    return base


def _given_to_nobody(folder: Path) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    os.chown(folder, NOBODY, NOBODY)
    return folder


def _copied_for_nobody(programs: Path, base: Path) -> Path:
    """A wheel's programs find their libraries beside the package: both are copied, keeping their places."""
    if open_to_everyone(programs) or WHEEL not in programs.parts:
        return programs
    package, copies = programs.parents[1], base / "programs"
    for folder in (package / INSTALLATION, package.with_name(f"{WHEEL}.libs")):
        copy = copies / folder.relative_to(package.parent)
        if not copy.exists():
            unfinished = copy.with_name(f"{copy.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(folder, unfinished, symlinks=True)
            unfinished.rename(copy)
    return copies / WHEEL / INSTALLATION / "bin"


def prepare(home: Home, *, forgetful: bool = False) -> None:
    """Make the database folder if there is none yet."""
    version = postgres_version(home.programs)
    if home.data.exists():
        _check_version(home, version)
        return
    # Under another name until it is whole: a start that is cut short must not look like a database.
    unfinished = home.data.with_name(f"{home.data.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    if home.identity is Identity.NOBODY:
        os.chown(unfinished, NOBODY, NOBODY)
    locale = LOCALE_OPTIONS if version >= 17 else EARLIER_LOCALE_OPTIONS
    options = ["-D", str(unfinished), "-U", OWNER, "--auth=trust", "--no-instructions", *locale]
    done = subprocess.run(
        [str(home.programs / "initdb"), *options, *(["--no-sync"] if forgetful else [])],
        capture_output=True,
        text=True,
        preexec_fn=home.identity.preparation(),
        **home.identity.popen_options(),
    )
    if done.returncode:
        raise EmbeddedError(f"Postgres could not make its data folder {home.data}:\n{done.stderr.strip()}")
    unfinished.rename(home.data)


def _check_version(home: Home, version: int) -> None:
    try:
        made_by = (home.data / "PG_VERSION").read_text().strip()
    except OSError:
        # Postgres itself says what is wrong with its folder.
        return
    if made_by != str(version):
        raise EmbeddedError(
            f"Postgres {made_by} made the data in {home.data}, and the one found here is {version} "
            f"({home.programs}): install Postgres {made_by}, or set DATA_DIR to another folder."
        )


def program(home: Home, *, forgetful: bool = False) -> Program:
    settings = [
        "listen_addresses=",
        f"unix_socket_directories={home.sockets}",
        "unix_socket_permissions=0700",
        *RECOVERY,
        *(FORGETFUL if forgetful else []),
    ]
    options = [part for setting in settings for part in ("-c", setting)]
    return Program(
        name="postgres",
        command=[str(home.programs / "postgres"), "-D", str(home.data), *options],
        # Fast shutdown: open transactions are rolled back, nothing waits for clients to leave.
        stop_signal=signal.SIGINT,
        orphan_signal=signal.SIGINT,
        identity=home.identity,
    )


def await_ready(home: Home, child: Child, pause: Callable[[float], None] = time.sleep) -> None:
    processes.await_ready(child, lambda: _has_database(home), pause)


def _has_database(home: Home) -> bool:
    """True if the server answers; creates database and role if they are missing."""
    try:
        with closing(psycopg2.connect(home.url("postgres"), connect_timeout=2)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
                if not cursor.fetchone():
                    cursor.execute(f'CREATE DATABASE "{DATABASE}"')
        # Earlier versions served as the owner.
        with closing(psycopg2.connect(home.url())) as connection, connection, connection.cursor() as cursor:
            cursor.execute(SITE_ROLE)
    except psycopg2.Error as error:
        # Without a code the connection was lost, or there was none; class 57 is a server that ends.
        if error.pgcode is None or error.pgcode.startswith("57"):
            return False
        # Another session makes the role, or grants to it, at this moment: "tuple concurrently updated".
        if error.pgcode == "XX000" and "concurrently" in str(error):
            return False
        raise
    return True
