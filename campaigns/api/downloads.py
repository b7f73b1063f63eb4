from __future__ import annotations

from django.http import StreamingHttpResponse

from campaigns.models import Campaign
from campaigns.services.exports import Export
from campaigns.services.history import note


def download(campaign: Campaign, export: Export) -> StreamingHttpResponse:
    """The export as a file, sent while it is made; that it was fetched goes into the history."""
    note(campaign=campaign, kind="exported", file=export.file_name(campaign))
    response = StreamingHttpResponse(export.lines(campaign), content_type=f"{export.kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{export.file_name(campaign)}"'
    return response
