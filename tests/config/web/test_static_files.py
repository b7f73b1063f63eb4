from __future__ import annotations

import gzip

import pytest
from django.conf import settings as project
from django.http.response import HttpResponseBase
from django.templatetags.static import static
from django.test import Client
from pytest_django import Settings

from config.web.static_files import version

SCRIPT = "campaigns/live/dashboard.js"
BYTES = (project.BASE_DIR / "static" / SCRIPT).read_bytes()


def asked(name: str = SCRIPT, method: str = "GET", **headers: str) -> HttpResponseBase:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Client().generic(method, f"/static/{name}", headers=named)


def body(response: HttpResponseBase) -> bytes:
    return bytes(response.getvalue())


def test_scripts_go_out_compressed_where_that_is_understood() -> None:
    plain, packed = asked(), asked(accept_encoding="gzip, deflate, br")
    assert body(plain) == body(asked(accept_encoding="br, gzip;q=0")) == BYTES
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body(packed)) == BYTES
    assert int(packed.headers["Content-Length"]) == len(body(packed)) < len(BYTES) / 2
    for name in ("Content-Type", "ETag", "Cache-Control", "Last-Modified"):
        assert packed.headers[name] == plain.headers[name]
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_what_the_browser_has_is_not_sent_again(encoding: str) -> None:
    tag = asked(accept_encoding=encoding).headers["ETag"]
    again = asked(accept_encoding=encoding, if_none_match=tag)
    assert (again.status_code, body(again)) == (304, b"")
    assert asked(accept_encoding=encoding, if_none_match='W/"other"').status_code == 200


def test_only_the_head() -> None:
    head, whole = (asked(method=method, accept_encoding="gzip") for method in ("HEAD", "GET"))
    assert body(head) == b""
    assert head.headers["Content-Length"] == whole.headers["Content-Length"]


def test_a_part_is_of_the_file_as_it_lies() -> None:
    part = asked(accept_encoding="gzip", range="bytes=3-12")
    assert (part.status_code, body(part)) == (206, BYTES[3:13])
    assert "Content-Encoding" not in part.headers


def test_little_is_left_as_it_is() -> None:
    small = asked("site/icon.svg", accept_encoding="gzip")
    assert body(small) == (project.BASE_DIR / "static" / "site" / "icon.svg").read_bytes()


def test_what_is_versioned_is_kept_for_good() -> None:
    address = static(SCRIPT)
    assert address == f"/static/v-{version()}/{SCRIPT}"
    kept = asked(address.removeprefix("/static/"))
    assert body(kept) == BYTES
    assert "immutable" in kept.headers["Cache-Control"]
    again = asked(address.removeprefix("/static/"), if_none_match=kept.headers["ETag"])
    assert (again.status_code, "immutable" in again.headers["Cache-Control"]) == (304, True)
    # What the script imports is asked for below the same version, also by other scripts.
    assert "immutable" in asked(f"v-{version()}/site/words.js").headers["Cache-Control"]


def test_what_is_of_another_version_is_what_lies_here() -> None:
    other = asked(f"v-{'0' * 12}/{SCRIPT}")
    assert body(other) == BYTES
    assert other.headers["Cache-Control"] == asked().headers["Cache-Control"] == "max-age=60, public"
    for wrong in (f"v-{version()}/none.js", f"v-{version()}/v-{version()}/{SCRIPT}", f"v-1/{SCRIPT}"):
        missing = asked(wrong)
        assert (missing.status_code, missing.headers["Cache-Control"]) == (404, "private, no-store")


def test_what_another_server_hands_out_or_is_being_edited_has_no_version(settings: Settings) -> None:
    settings.DEBUG = True
    assert static(SCRIPT) == f"/static/{SCRIPT}"
    settings.DEBUG = False
    settings.STATIC_ROOT = "/srv/static"
    assert static(SCRIPT) == f"/static/{SCRIPT}"
    # The assessors' screen keeps its files itself, with the page and without a network.
    settings.STATIC_ROOT = None
    assert static("assess/judge.js") == "/static/assess/judge.js"


def test_nothing_else_is_answered() -> None:
    assert asked(method="POST").status_code == 405
    assert asked("campaigns/live/none.js").status_code == 404


def test_the_typeface_is_kept_for_good() -> None:
    [typeface] = (project.BASE_DIR / "static" / "site").glob("*.woff2")
    reply = asked(f"site/{typeface.name}")
    assert "immutable" in reply.headers["Cache-Control"]
    assert reply.headers["Content-Type"] == "font/woff2"
