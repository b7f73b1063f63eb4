"""Exports and bundles as HTTP downloads, and conditional requests (If-None-Match) for any answer.

A tag is made from what the answer depends on, not from its bytes, so tags are weak; compressed or not, an
answer has the same one, and a client that has it gets it without its being made again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from hashlib import blake2b
from http import HTTPStatus

from django.http import HttpRequest, HttpResponseNotModified, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.utils.translation import get_language
from rest_framework.request import Request

from campaigns.core.client_disconnect import until_disconnect
from campaigns.exchange.archives.folders import Archive, Contents
from campaigns.exchange.bundles.writer import of_bundle, write_bundle
from campaigns.exchange.exports import Export, check_form, check_policy
from campaigns.exchange.versions import Version
from campaigns.log.audit import note
from campaigns.models import Campaign
from campaigns.results.topic_scope import TopicScope

# Counted up whenever an answer says the same in another way, so that no kept one is taken for it.
FORM = 1
# On what else an answer hangs, at one address.
VARIES = ("Accept", "Accept-Encoding", "Authorization", "Cookie")


def if_changed(
    request: HttpRequest | Request, version: Version, make: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """The answer, with its tag; or only that it is what the client has already."""
    tag = tag_of(request, version)
    given = parse_etags(request.headers.get("If-None-Match", ""))
    known = "*" in given or _opaque(tag) in map(_opaque, given)
    answer = HttpResponseNotModified() if known else make()
    answer.headers["ETag"] = tag
    # To be kept by the client, and asked for again each time.
    answer.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(answer, VARIES)
    return answer


def tag_of(request: HttpRequest | Request, version: Version) -> str:
    said = repr((FORM, request.get_full_path(), request.user.pk, get_language(), version))
    return f'W/"{blake2b(said.encode(), digest_size=16).hexdigest()}"'


def _opaque(tag: str) -> str:
    return tag.removeprefix("W/")


def download(
    request: HttpRequest | Request,
    campaign: Campaign,
    export: Export,
    *,
    policy: str = "",
    topics: TopicScope = "all",
    form: str = "",
) -> HttpResponseBase:
    """The export as a file, sent while it is made; that it was fetched goes into the history. `policy`: by
    default the campaign's; `form`: the format, by default the export's."""
    policy = check_policy(policy) or campaign.policy
    written_as = check_form(form, export.formats, export.form)
    name = export.file_name(campaign, policy, topics, written_as)

    def make() -> HttpResponseBase:
        pieces = export.pieces(campaign, topics if export.scoped else policy, written_as)
        return _file(request, campaign, name, pieces, written_as.content_type)

    return if_changed(request, (name, *export.version(campaign)), make)


def archive_download(
    request: HttpRequest | Request,
    campaign: Campaign,
    archive: Archive,
    *,
    policy: str = "",
    form: str = "",
    texts: bool = True,
) -> HttpResponseBase:
    """An archive, packed while it is sent. It has no tag: documents and topics, too, decide what is in it."""
    asked = Contents(check_policy(policy) or campaign.policy, archive.check_form(form), texts)
    pieces = archive.pieces(campaign, asked)
    return _file(request, campaign, archive.file_name(campaign, asked), pieces, "application/zip")


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
        response = StreamingHttpResponse(until_disconnect(request.META, pieces), content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
