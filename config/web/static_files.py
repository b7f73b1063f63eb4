"""Static files: versioned addresses, so that browsers keep them for good, and compression in memory.

WhiteNoise's manifest storage and its compressor need `collectstatic` before each start; `make demo`, `serve`
and the tests start without it, and scripts are edited where they lie. So the version, of all files together,
stands before the name: what scripts import of each other has the same. The assessors' screen keeps its own
files (`assess.screen`).
"""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast
from wsgiref.headers import Headers

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from whitenoise.middleware import WhiteNoiseMiddleware

VERSIONED_FOLDER = "campaigns/"
VERSIONED_PATH = re.compile(r"^(/static/)v-([0-9a-f]{12})/(.+)$")
COMPRESSED_STATIC_TYPES = ("text/", "image/svg+xml", "application/json")
CACHED_STATUSES = (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT, HTTPStatus.NOT_MODIFIED)
FOR_EVER = "max-age=31536000, public, immutable"
# Less fits into a packet anyway.
LEAST_COMPRESSED_BYTES = 1000
_REFUSED_GZIP = re.compile(r"\bgzip\s*;\s*q\s*=\s*0(\.0*)?\s*(,|$)", re.IGNORECASE)


class VersionedFiles(StaticFilesStorage):
    def url(self, name: str | None) -> str:
        plain: str = super().url(name)
        if name is None or not name.startswith(VERSIONED_FOLDER) or settings.DEBUG or settings.STATIC_ROOT:
            return plain
        return f"{plain.removesuffix(name)}v-{version()}/{name}"


@lru_cache
def version() -> str:
    """Version of all files under `static`, whatever imports what."""
    whole = hashlib.sha256()
    home = settings.BASE_DIR / "static"
    for file in sorted(each for each in home.rglob("*") if each.is_file()):
        whole.update(f"{file.relative_to(home)}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\0".encode())
    return whole.hexdigest()[:12]


def mark(headers: Headers, path: str, url: str) -> None:
    """A tag for whatever way the file is sent: a strong one would be the bytes' own."""
    status = Path(path).stat()
    headers["ETag"] = f'W/"{status.st_mtime_ns:x}-{status.st_size:x}"'


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # it has no types
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        match = VERSIONED_PATH.match(request.path_info)
        if match is None:
            return cast(HttpResponseBase, super().__call__(request))
        start, wanted, name = match.groups()
        request.path_info = start + name
        response = cast(HttpResponseBase, super().__call__(request))
        # Another version, as beside a host that is not yet or no longer of this one, is what lies here now.
        if wanted == version() and response.status_code in CACHED_STATUSES:
            response.headers["Cache-Control"] = FOR_EVER
        return response

    def serve(self, static_file: Any, request: HttpRequest) -> HttpResponseBase:
        # Asked for the head, it opens no file.
        head = static_file.get_response("HEAD", request.META)
        headers = dict(head.headers)
        response: HttpResponseBase | None = None
        if head.status == HTTPStatus.OK:
            response = _compressed(static_file, request, headers)
        if response is None:
            response = cast(HttpResponseBase, super().serve(static_file, request))
        if _is_text(headers):
            patch_vary_headers(response, ["Accept-Encoding"])
        return response


def refuses_gzip(request: HttpRequest) -> bool:
    """True if the request names gzip only to refuse it: "gzip;q=0"."""
    return _REFUSED_GZIP.search(request.headers.get("Accept-Encoding", "")) is not None


def _is_text(headers: dict[str, str]) -> bool:
    return headers.get("Content-Type", "").startswith(COMPRESSED_STATIC_TYPES)


def _compressed(static_file: Any, request: HttpRequest, headers: dict[str, str]) -> HttpResponse | None:
    """None where it is to go out as it lies."""
    accepted = "gzip" in request.headers.get("Accept-Encoding", "") and not refuses_gzip(request)
    if not accepted or request.method not in ("GET", "HEAD"):
        return None
    if not _is_text(headers) or int(headers["Content-Length"]) < LEAST_COMPRESSED_BYTES:
        return None
    path, _ = static_file.get_path_and_headers({})
    packed = _packed(path, headers["ETag"])
    headers |= {"Content-Encoding": "gzip", "Content-Length": str(len(packed))}
    return HttpResponse(b"" if request.method == "HEAD" else packed, headers=headers)


@lru_cache(maxsize=1000)
def _packed(path: str, tag: str) -> bytes:
    return gzip.compress(Path(path).read_bytes(), mtime=0)
