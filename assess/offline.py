"""What the browser's service worker needs to bring the judging screen back without a network."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path

from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

FOLDERS = ("assess", "site")
SCRIPT = "assess/worker.js"


@require_safe
@never_cache
def worker(request: HttpRequest) -> HttpResponse:
    """The worker's script. It stands below /judge/, as a worker may answer for nothing above itself."""
    names = [name for name, _, _ in _files()]
    constants = {"VERSION": version(), "FILES": [static(name) for name in names if name != SCRIPT]}
    lines = [f"const {name} = {json.dumps(value)};" for name, value in constants.items()]
    source = Path(str(finders.find(SCRIPT))).read_text()
    return HttpResponse("\n".join([*lines, source]), content_type="text/javascript; charset=utf-8")


def mark(response: HttpResponse, user: User) -> None:
    """Let the worker keep this page for one person, beside the files it was made for."""
    response.headers["X-Kept-For"] = str(user.pk)
    response.headers["X-Files"] = version()


def version() -> str:
    return _hashed(_files())


def _files() -> tuple[tuple[str, str, int], ...]:
    """Name, place and time of change of each file of the screen."""
    found = []
    for folder in FOLDERS:
        home = Path(str(finders.find(folder)))
        for file in sorted(each for each in home.iterdir() if each.is_file()):
            found.append((f"{folder}/{file.name}", str(file), file.stat().st_mtime_ns))
    return tuple(found)


@lru_cache(maxsize=2)
def _hashed(files: tuple[tuple[str, str, int], ...]) -> str:
    whole = hashlib.sha256()
    for name, place, _ in files:
        whole.update(f"{name}\0{hashlib.sha256(Path(place).read_bytes()).hexdigest()}\0".encode())
    return whole.hexdigest()[:16]
