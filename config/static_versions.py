"""Addresses of the organisers' scripts and styles that change with what the files hold, so that browsers keep
them and need not ask. The version stands before the name: what scripts import of each other has the same. The
assessors' screen keeps its own files (`assess.screen`)."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage

FOLDER = "campaigns/"
VERSIONED_PATH = re.compile(r"^(/static/)v-([0-9a-f]{12})/(.+)$")


class VersionedFiles(StaticFilesStorage):
    def url(self, name: str | None) -> str:
        plain: str = super().url(name)
        if name is None or not name.startswith(FOLDER) or settings.DEBUG or settings.STATIC_ROOT:
            return plain
        return f"{plain.removesuffix(name)}v-{version()}/{name}"


@lru_cache
def version() -> str:
    """Of all that lies under `static`, whatever imports what."""
    whole = hashlib.sha256()
    home = settings.BASE_DIR / "static"
    for file in sorted(each for each in home.rglob("*") if each.is_file()):
        whole.update(f"{file.relative_to(home)}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\0".encode())
    return whole.hexdigest()[:12]
