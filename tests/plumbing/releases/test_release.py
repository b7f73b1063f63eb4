"""The release command, on repositories of one commit."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from tests.plumbing import dependency_audit
from tests.plumbing.dependency_audit import Locked
from tests.plumbing.releases import release

TODAY = date(2026, 3, 1)
FILES = {
    "pyproject.toml": '[project]\nversion = "1.2.3"\n',
    "CHANGELOG.md": f"# Changelog\n\n## 1.2.3 – {TODAY}\n\n### Added\n\n- All.\n\n## 1.2.2 – 2026-01-01\n",
    "uv.lock": '[[package]]\nname = "judged"\nversion = "1.2.3"\nsource = { virtual = "." }\n',
    "CITATION.cff": "cff-version: 1.2.0\n",
    ".gitignore": "test-results/\n",
}

GIT = {
    "user.name": "Ada",
    "user.email": "ada@example.org",
    "init.defaultBranch": "main",
    "commit.gpgsign": "false",
    "tag.gpgsign": "false",
}
pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is ready, where migrations and generated files belong to this project alone."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(GIT)))
    for number, (key, value) in enumerate(GIT.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    release.git(tmp_path, "init")
    commit(tmp_path)
    monkeypatch.setattr(release, "FAULTS", [release.version_faults])
    monkeypatch.setattr(release, "today", lambda: TODAY)
    return tmp_path


def commit(root: Path) -> None:
    release.git(root, "add", "--all")
    release.git(root, "commit", "--message", "Change")


def test_a_ready_commit_is_tagged_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release.record_tests(root, release.git(root, "rev-parse", "HEAD"))
    assert release.main([], root) == 0
    assert release.git(root, "cat-file", "-t", "v1.2.3") == "tag"
    assert release.git(root, "rev-parse", "v1.2.3^{}") == release.git(root, "rev-parse", "HEAD")
    assert release.main([], root) == 1
    assert "the tag v1.2.3 exists already" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("pyproject.toml", '[project]\nversion = "1.3"\n', "1.3 is not of the form"),
        ("pyproject.toml", '[project]\nversion = "1.2.4"\n', "first section is not “## 1.2.4"),
        ("uv.lock", FILES["uv.lock"].replace("1.2.3", "1.2.2"), "not of version 1.2.3"),
        ("CITATION.cff", "version: 1.2.3\n", "a version of its own"),
    ],
)
def test_wrong_files_fail_the_dry_run_too(
    root: Path, capsys: pytest.CaptureFixture[str], file: str, text: str, words: str
) -> None:
    (root / file).write_text(text)
    commit(root)
    release.record_tests(root, release.git(root, "rev-parse", "HEAD"))
    for arguments in (["--dry-run"], []):
        assert release.main(arguments, root) == 1
        assert words in capsys.readouterr().out
    assert release.git(root, "tag") == ""


def test_open_tasks_keep_from_the_tag_only(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release.record_tests(root, release.git(root, "rev-parse", "HEAD"))
    (root / "CHANGELOG.md").write_text(FILES["CHANGELOG.md"].replace(str(TODAY), "unreleased"))
    assert release.main(["--dry-run"], root) == 0
    assert release.main([], root) == 1
    said = capsys.readouterr().out
    assert "commit all changes" in said
    assert "replace “unreleased”" in said
    commit(root)
    assert release.main([], root) == 1
    assert "run make test on this commit" in capsys.readouterr().out
    assert release.git(root, "tag") == ""


@pytest.mark.parametrize(
    ("checked", "words"),
    [(None, "1 of 1 locked versions were never"), ("2026-01-01", "days old"), (str(TODAY), "")],
)
def test_versions_that_were_not_checked_lately_are_not_released(
    root: Path, monkeypatch: pytest.MonkeyPatch, checked: str | None, words: str
) -> None:
    row: dict[str, object] = {"name": "good", "version": "1.0", "checked": checked, "advisories": []}
    (root / "advisories.json").write_text(json.dumps([row]))
    answers = dependency_audit.read_answers(root / "advisories.json")
    monkeypatch.setattr(dependency_audit, "read_answers", lambda: answers)
    monkeypatch.setattr(dependency_audit, "read_lock", lambda path: [Locked("good", "1.0")])
    found = list(release.audit_tasks(root))
    assert [words in line for line in found] == ([True] if words else [])


def test_changes_that_are_not_committed_make_no_record(root: Path) -> None:
    assert release.clean_commit(root) == release.git(root, "rev-parse", "HEAD")
    (root / "new.txt").touch()
    assert release.clean_commit(root) is None
    assert list(release.test_tasks(root)) == ["run make test on this commit"]


def test_files_without_git_have_no_commit(tmp_path: Path) -> None:
    assert release.clean_commit(tmp_path / "unpacked") is None


def test_generated_files_of_the_project_are_compared(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = ["-c", "import pathlib; pathlib.Path('made.txt').write_text('new')"]
    monkeypatch.setattr(release, "GENERATED", {"made": [program]})
    monkeypatch.setattr(release, "WRITTEN", ("made.txt",))
    assert len(list(release.generated_faults(root))) == 1
    assert not (root / "made.txt").exists()
    (root / "made.txt").write_text("old")
    assert len(list(release.generated_faults(root))) == 1
    assert (root / "made.txt").read_text() == "old"
    (root / "made.txt").write_text("new")
    assert list(release.generated_faults(root)) == []
