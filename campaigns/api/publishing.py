from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import OrganiserView
from campaigns.api.downloads import bundle_download, download
from campaigns.api.parsers import flag_of
from campaigns.services.advice import stopping_of
from campaigns.services.exports import EXPORTS


class PrelsView(OrganiserView):
    """The judgments with inclusion probabilities, streamed: topic docno rel method iprob."""

    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        policy = request.query_params.get("policy", "")
        return download(self.campaign, EXPORTS["prels"], policy=policy)


class BundleView(OrganiserView):
    """All of the campaign as a zip that `import_bundle` takes: texts=false leaves the documents' texts out,
    pseudonyms=true everybody's name."""

    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        texts, pseudonyms = (
            flag_of(request, name, default=default)
            for name, default in (("texts", True), ("pseudonyms", False))
        )
        return bundle_download(self.campaign, texts=texts, pseudonyms=pseudonyms)


class PairsView(OrganiserView):
    """Which pairs of the best runs are decided, as of the worker's last look; of an open pair, how many
    judgments and hours are likely to decide it."""

    def get(self, request: Request, slug: str) -> Response:
        versus = request.query_params.get("versus", "base")
        found = stopping_of(campaign=self.campaign, versus=versus)
        pairs = [_without_ids(asdict(pair)) for pair in found.pairs] if found else []
        said = {"as_of": found.as_of, "k": found.k} if found else {"as_of": 0, "k": 0}
        return Response({"versus": versus, **said, "pairs": pairs})


def _without_ids(pair: dict[str, Any]) -> dict[str, Any]:
    """To scripts runs are known by name."""
    return {name: value for name, value in pair.items() if name != "ids"}
