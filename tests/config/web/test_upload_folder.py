"""Temporary files end with their process, however it ended, and never before."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from campaigns.people import tokens
from config.web.upload_folder import UploadFolder
from tests.campaigns.factories import make_campaign
from tests.config.own_sites import connect, own_site, upload
from tests.plumbing.idle import wait_for

HOLDER = """
import sys
from config.web.upload_folder import UploadFolder
path = UploadFolder(sys.argv[1]).open()
(path / "a.upload.tsv").write_text("half of a file")
print(path, flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(parent: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that holds a folder with a file in it."""
    command = [sys.executable, "-c", HOLDER, str(parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_folder_of_a_killed_process_is_removed(tmp_path: Path) -> None:
    with holder(tmp_path) as (killed, left), holder(tmp_path) as (_, kept):
        killed.kill()
        killed.wait()
        assert (left / "a.upload.tsv").exists()
        folder = UploadFolder(str(tmp_path))
        own = folder.open()
        assert not left.exists()
        assert (kept / "a.upload.tsv").exists()
        assert stat.S_IMODE(own.parent.stat().st_mode) == 0o700
        folder.close()
        assert not own.exists()


def test_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"assess-uploads-{os.geteuid()}").symlink_to(elsewhere)
    with pytest.raises(PermissionError, match="belongs to another user"):
        UploadFolder(str(tmp_path)).open()


@pytest.mark.django_db(transaction=True)
def test_site_removes_what_a_killed_site_left(live_environment: dict[str, str], tmp_path: Path) -> None:
    make_campaign("Small")
    _, secret = tokens.make(user=User.objects.get(username="Small-ada"), name="a", scopes=["organise"])
    environment = {**live_environment, "FILE_UPLOAD_TEMP_DIR": str(tmp_path)}
    with own_site(environment) as (site, child):
        length = 5_000_000
        sent = upload("/api/v1/campaigns/small/runs/", length, authorization=f"Token {secret}")
        with connect(site, sent + b"x" * (length // 2)):
            # Unfinished bodies have no names: they need no removing.
            wait_for(lambda: _nameless_bytes(child.pid, tmp_path) > 0)
            (folder,) = _folders(tmp_path)
            (folder / "a.upload.run").write_text("as Django writes it")
            child.kill_group()
    assert (folder / "a.upload.run").exists()
    with own_site(environment):
        (own,) = _folders(tmp_path)
        assert own != folder
    assert _folders(tmp_path) == []


def _folders(parent: Path) -> list[Path]:
    return [path for path in parent.glob("assess-uploads-*/*") if path.is_dir()]


def _nameless_bytes(process: int, parent: Path) -> int:
    """What a process holds in files below `parent` that no other process can open."""
    held = 0
    for file in Path(f"/proc/{process}/fd").iterdir():
        # One that is closed meanwhile is no error.
        with suppress(OSError):
            target = str(file.readlink())
            held += file.stat().st_size if target.startswith(str(parent)) and "deleted" in target else 0
    return held
