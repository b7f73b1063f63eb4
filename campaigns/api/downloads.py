from __future__ import annotations

from django.http import StreamingHttpResponse

from campaigns.models import Campaign
from campaigns.services.exports import Export


def download(campaign: Campaign, export: Export) -> StreamingHttpResponse:
    """The export as a file, sent while it is made."""
    response = StreamingHttpResponse(export.lines(campaign), content_type=f"{export.kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{export.file_name(campaign)}"'
    return response
