from __future__ import annotations

import gzip

import pytest
from django.conf import settings
from django.http.response import HttpResponseBase
from django.test import Client

SCRIPT = "campaigns/live/dashboard.js"
BYTES = (settings.BASE_DIR / "static" / SCRIPT).read_bytes()


def asked(name: str = SCRIPT, method: str = "GET", **headers: str) -> HttpResponseBase:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Client().generic(method, f"/static/{name}", headers=named)


def body(response: HttpResponseBase) -> bytes:
    return bytes(response.getvalue())


def test_scripts_go_out_compressed_where_that_is_understood() -> None:
    plain, packed = asked(), asked(accept_encoding="gzip, deflate, br")
    assert body(plain) == BYTES
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
    assert body(small) == (settings.BASE_DIR / "static" / "site" / "icon.svg").read_bytes()


def test_nothing_else_is_answered() -> None:
    assert asked(method="POST").status_code == 405
    assert asked("campaigns/live/none.js").status_code == 404
