from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from campaigns.api.conditional import tag_of, tagged, unchanged
from campaigns.bundles.writing import write_bundle
from campaigns.models import Campaign
from campaigns.services.exports import Export, check_policy
from campaigns.services.history import note

# Under this name the web server says in a request's scope that its client has hung up (config/hangup.py).
GONE = "assess.gone"
# Handing a piece to the web server costs as much as making some hundred lines.
PIECE = 64 * 1024


def download(
    request: HttpRequest | Request, campaign: Campaign, export: Export, *, policy: str = ""
) -> HttpResponseBase:
    """The export as a file, sent while it is made; that it was fetched goes into the history. `policy`: by
    default the campaign's."""
    policy = check_policy(policy) or campaign.policy
    name = export.file_name(campaign, policy)
    tag = tag_of(request, (name, *export.version(campaign)))
    if kept := unchanged(request, tag):
        return kept
    lines = while_there(request, _encoded(export.lines(campaign, policy)))
    return tagged(_file(request, campaign, name, lines, f"{export.kind}; charset=utf-8"), tag)


def bundle_download(
    request: HttpRequest | Request, campaign: Campaign, *, texts: bool, pseudonyms: bool
) -> HttpResponseBase:
    name = bundle_name(campaign, texts=texts, pseudonyms=pseudonyms)
    pieces = while_there(request, write_bundle(campaign, texts=texts, pseudonyms=pseudonyms))
    return _file(request, campaign, name, pieces, "application/zip")


def bundle_name(campaign: Campaign, *, texts: bool, pseudonyms: bool) -> str:
    said = ("" if texts else ".without-texts") + (".pseudonyms" if pseudonyms else "")
    return f"{campaign.slug}{said}.bundle.zip"


def _file(
    request: HttpRequest | Request, campaign: Campaign, name: str, pieces: Iterable[bytes], kind: str
) -> StreamingHttpResponse:
    if request.method == "HEAD":
        pieces = ()
    else:
        note(campaign=campaign, kind="exported", file=name)
    response = StreamingHttpResponse(pieces, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _encoded(lines: Generator[str]) -> Generator[bytes]:
    gathered: list[str] = []
    size = 0
    with closing(lines):
        for line in lines:
            gathered.append(line)
            size += len(line)
            if size >= PIECE:
                yield "".join(gathered).encode()
                gathered, size = [], 0
    if gathered:
        yield "".join(gathered).encode()


def while_there(request: HttpRequest | Request, pieces: Generator[bytes]) -> Generator[bytes]:
    """The pieces, as long as whoever asked for them has not hung up."""
    gone: Callable[[], bool] = getattr(request.META.get("asgi.scope", {}).get(GONE), "is_set", bool)
    with closing(pieces):
        for piece in pieces:
            if gone():
                return
            yield piece
