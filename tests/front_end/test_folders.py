"""Folders of static files can be taken in at a glance."""

from __future__ import annotations

from django.conf import settings

MOST_FILES = 16


def test_folders_of_static_files_hold_at_most_sixteen() -> None:
    root = settings.BASE_DIR / "static"
    folders = [root, *(place for place in root.rglob("*") if place.is_dir())]
    counts = {
        folder.relative_to(root).as_posix(): sum(each.is_file() for each in folder.iterdir())
        for folder in folders
    }
    assert sum(counts.values()) > MOST_FILES
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}
