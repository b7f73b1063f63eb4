"""The service worker's script, what it may keep, and how much the screen weighs."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from assess import screen
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db

MOST_BYTES = 100_000
MOST_BYTES_WITH_TYPEFACE = 250_000


def worker() -> str:
    return Client().get("/judge/worker.js").content.decode()


def test_the_worker_is_a_script_that_is_never_old() -> None:
    reply = Client().get("/judge/worker.js")
    assert reply.status_code == 200
    assert reply.headers["Content-Type"].startswith("text/javascript")
    assert "no-store" in reply.headers["Cache-Control"] or "no-cache" in reply.headers["Cache-Control"]
    assert "worker-src 'self'" in reply.headers["Content-Security-Policy"]
    assert Client().post("/judge/worker.js").status_code == 405


def test_it_names_every_file_of_the_screen() -> None:
    make_campaign()
    page = signed_in("Small-grace").get("/judge/small/1/").content.decode()
    found = re.search(r"^const FILES = (.*);$", worker(), re.MULTILINE)
    assert found
    files = set(json.loads(found.group(1)))
    wanted = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
    # The stemmer of its language is kept by the page itself.
    assert {path for path in wanted if "/stemmers/" not in path} <= files
    named = ("screen/acts/judging", "offline/ahead", "offline/store", "offline/outbox")
    assert {f"/static/assess/{name}.js" for name in named} <= files


def test_the_version_follows_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = screen.offline_version()
    assert f'const VERSION = "{before}";' in worker()
    for folder in screen.FOLDERS:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.js").write_text("one")
    monkeypatch.setattr("assess.screen.finders.find", lambda name: tmp_path / name)
    first = screen.offline_version()
    (tmp_path / "site" / "one.js").write_text("two, longer")
    assert len({before, first, screen.offline_version()}) == 3


def test_only_the_judging_screen_may_be_kept_and_only_for_its_assessor() -> None:
    make_campaign()
    grace = signed_in("Small-grace")
    page = grace.get("/judge/small/1/")
    assert page.headers["X-Kept-For"] == str(User.objects.get(username="Small-grace").id)
    assert page.headers["X-Files"] == screen.offline_version()
    for other in ("/judge/", "/judge/small/", "/sign-in/"):
        assert "X-Kept-For" not in grace.get(other).headers


def test_the_screen_is_light() -> None:
    files = [file for folder in screen.FOLDERS for file in (settings.BASE_DIR / "static" / folder).rglob("*")]
    scripts = [file for file in files if file.suffix in {".js", ".css"}]
    weighed = sum(len(gzip.compress(file.read_bytes())) for file in scripts)
    assert 10_000 < weighed <= MOST_BYTES, f"{weighed} bytes gzipped"
    typeface_and_pictures = sum(file.stat().st_size for file in files if file.suffix in {".woff2", ".svg"})
    assert weighed + typeface_and_pictures <= MOST_BYTES_WITH_TYPEFACE


def test_the_typeface_is_kept_for_work_without_a_network() -> None:
    [typeface] = (settings.BASE_DIR / "static" / "site").glob("*.woff2")
    assert typeface.stat().st_size < 50_000
    assert f'"/static/site/{typeface.name}"' in worker()
    styles = (settings.BASE_DIR / "static" / "site" / "tokens.css").read_text()
    assert f'url("{typeface.name}")' in styles
    assert f"static/site/{typeface.name}" in (settings.BASE_DIR / "NOTICE").read_text()
