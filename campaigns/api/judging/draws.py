"""A random topic for assessors of campaigns in which they do not choose."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.scopes import JUDGES
from campaigns.api.framework.views import CampaignView
from campaigns.api.framework.words import JUDGING_TAG
from campaigns.api.shapes.base import Problem
from campaigns.api.shapes.topics import TopicText
from campaigns.topic_offers.draws import draw_topic

operation = Operations(JUDGING_TAG)


class DrawView(CampaignView):
    needs = JUDGES

    @operation(
        "draw_topic",
        "Get a random topic",
        {201: TopicText, 409: Problem},
        "Assigns you a random open topic, where `topic_choice` is `random`. `topic_unfinished` (409): you "
        "have another topic. `no_topic_left` (409): no open topic is left for you.",
    )
    def post(self, request: Request, slug: str) -> Response:
        topic = draw_topic(campaign=self.campaign, assessor=self.user)
        return Response(TopicText.of(topic), status=201)
