from __future__ import annotations

from django.http import StreamingHttpResponse

from campaigns.bundles.writing import write_bundle
from campaigns.models import Campaign
from campaigns.services.exports import Export, check_policy
from campaigns.services.history import note


def download(campaign: Campaign, export: Export, *, policy: str = "") -> StreamingHttpResponse:
    """The export as a file, sent while it is made; that it was fetched goes into the history. `policy`: by
    default the campaign's."""
    lines = export.lines(campaign, check_policy(policy))
    name = export.file_name(campaign, policy)
    note(campaign=campaign, kind="exported", file=name)
    response = StreamingHttpResponse(lines, content_type=f"{export.kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def bundle_download(campaign: Campaign, *, texts: bool, pseudonyms: bool) -> StreamingHttpResponse:
    pieces = write_bundle(campaign, texts=texts, pseudonyms=pseudonyms)
    name = bundle_name(campaign, texts=texts, pseudonyms=pseudonyms)
    note(campaign=campaign, kind="exported", file=name)
    response = StreamingHttpResponse(pieces, content_type="application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def bundle_name(campaign: Campaign, *, texts: bool, pseudonyms: bool) -> str:
    said = ("" if texts else ".without-texts") + (".pseudonyms" if pseudonyms else "")
    return f"{campaign.slug}{said}.bundle.zip"
