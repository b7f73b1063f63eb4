from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from http import HTTPStatus

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from campaigns.core.client_disconnect import while_there
from campaigns.exchange.bundles.version import of_bundle
from campaigns.exchange.bundles.writing import write_bundle
from campaigns.exchange.conditional import if_changed, tag_of
from campaigns.exchange.exports import Export, check_policy
from campaigns.log.audit import note
from campaigns.models import Campaign

# Handing a piece to the web server costs as much as making some hundred lines.
PIECE = 64 * 1024


def download(
    request: HttpRequest | Request, campaign: Campaign, export: Export, *, policy: str = ""
) -> HttpResponseBase:
    """The export as a file, sent while it is made; that it was fetched goes into the history. `policy`: by
    default the campaign's."""
    policy = check_policy(policy) or campaign.policy
    name = export.file_name(campaign, policy)

    def make() -> HttpResponseBase:
        lines = _encoded(export.lines(campaign, policy))
        return _file(request, campaign, name, lines, f"{export.kind}; charset=utf-8")

    return if_changed(request, (name, *export.version(campaign)), make)


def bundle_download(
    request: HttpRequest | Request, campaign: Campaign, *, texts: bool, pseudonyms: bool
) -> HttpResponseBase:
    name = bundle_name(campaign, texts=texts, pseudonyms=pseudonyms)

    def make() -> HttpResponseBase:
        pieces = write_bundle(campaign, texts=texts, pseudonyms=pseudonyms)
        return _file(request, campaign, name, pieces, "application/zip")

    answer = if_changed(request, of_bundle(campaign), make)
    if answer.status_code == HTTPStatus.OK:
        # That it was fetched stands in the history by now, and so in the bundle.
        answer.headers["ETag"] = tag_of(request, of_bundle(campaign))
    return answer


def bundle_name(campaign: Campaign, *, texts: bool, pseudonyms: bool) -> str:
    said = ("" if texts else ".without-texts") + (".pseudonyms" if pseudonyms else "")
    return f"{campaign.slug}{said}.bundle.zip"


def _file(
    request: HttpRequest | Request, campaign: Campaign, name: str, pieces: Generator[bytes], kind: str
) -> HttpResponseBase:
    if request.method == "HEAD":
        response = StreamingHttpResponse((), content_type=kind)
    else:
        note(campaign=campaign, kind="exported", file=name)
        response = StreamingHttpResponse(while_there(request.META, pieces), content_type=kind)
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
