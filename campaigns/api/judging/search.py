"""Search-and-judge for assessors: search a topic's collection, and open a found document to judge it."""

from __future__ import annotations

from dataclasses import asdict

from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.collection import found_json
from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.scopes import JUDGES
from campaigns.api.framework.views import CampaignView
from campaigns.api.framework.words import JUDGING_TAG
from campaigns.api.judging.judgments import served_json
from campaigns.api.shapes.base import Problem
from campaigns.api.shapes.collection import MOST_FOUND
from campaigns.api.shapes.judging.search import TopicSearchQuery, TopicSearchResult
from campaigns.api.shapes.judging.serving import Next, PlaceIn
from campaigns.judging.interactive_search import open_found, search_topic
from campaigns.judging.progress import progress_of

operation = Operations(JUDGING_TAG)


class SearchView(CampaignView):
    needs = JUDGES
    queries = {"GET": TopicSearchQuery}
    takes = {"POST": PlaceIn}

    @operation(
        "search_topic",
        "Search for documents to judge",
        {200: TopicSearchResult, 409: Problem},
        "Search as in `documents/`, where the campaign allows assessors to search. Each result "
        "has your own judgment in the topic. `search_off` (409): the campaign does not allow it.",
    )
    def get(self, request: Request, slug: str) -> Response:
        found = search_topic(
            campaign=self.campaign,
            topic=self.topic(self.asked["topic"]),
            assessor=self.user.id,
            query=self.asked["search"],
            page=self.asked["page"],
            limit=min(self.asked["limit"], MOST_FOUND),
        )
        answer = found_json(found.page)
        for row in answer["results"]:
            own = found.own.get(row["docno"])
            row |= {
                "judged": own is not None,
                "grade": own.grade if own else None,
                "reason": own.reason if own else "",
            }
        return Response(answer)

    @operation(
        "open_found_document",
        "Open a found document",
        {200: Next, 409: Problem},
        "Claims the document for you, to judge it by `judgments/`. The log marks it as found by "
        "search, unless it was served to you before.",
    )
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, PlaceIn)
        topic = self.topic(wish["topic"])
        served = open_found(campaign=self.campaign, topic=topic, docno=wish["docno"], assessor=self.user.id)
        progress = progress_of(campaign=self.campaign, topic=topic.id, assessor=self.user.id)
        return Response(
            {**(served_json(served, shown=self.campaign.shown_fields) or {}), "progress": asdict(progress)}
        )
