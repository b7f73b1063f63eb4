"""The runs of a campaign, as they were sent and as they take part."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import RESULTS_TAG
from campaigns.api.shapes.base import PageQuery, list_shape
from campaigns.api.shapes.collection import RunOut
from campaigns.models import Run
from campaigns.results.score_ranges import first_judgment, is_late
from campaigns.results.topic_rows import sizes_of

operation = Operations(RESULTS_TAG)

RUNS_LISTING = Listing[Run]("runs", lambda run: run.id)


class RunsView(OrganiserView):
    queries = {"GET": PageQuery}

    @operation(
        "list_runs", "List runs", list_shape(RunOut), "In the order of upload, including withdrawn runs."
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = self.campaign.runs.select_related("uploaded_by")
        page = RUNS_LISTING.of_query(request, self.asked, rows, "id")
        sizes = sizes_of(campaign=self.campaign)
        began = first_judgment(campaign=self.campaign)

        def run_json(run: Run) -> dict[str, Any]:
            topics, lines = sizes.get(run.id, (0, 0))
            return RunOut.of(
                run,
                run=run.tag,
                file=run.file_name,
                topics=topics,
                lines=lines,
                contributes=run.contributes_to_pool,
                late=is_late(run, began),
                uploaded_by=run.uploaded_by.get_username(),
            )

        return Response(page.as_json(run_json))
