"""The order in which topics are released: read, set, and changed by hand."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import TOPICS_TAG
from campaigns.api.shapes.base import PageQuery, Problem
from campaigns.api.shapes.topic_order import TopicActIn, TopicOrderIn, TopicOrderOut
from campaigns.core.errors import Refusal
from campaigns.topic_order import releases
from campaigns.topic_order.method_input import options_of
from campaigns.topic_order.order_content import OrderContent, PredictedAgreement
from campaigns.topic_order.view import TopicPlace, topic_order_view

operation = Operations(TOPICS_TAG)

# With its place among all.
PLACES_LISTING = Listing[tuple[int, TopicPlace]]("topic order", lambda placed: placed[0])


class TopicOrderView(OrganiserView):
    """In which order topics are released, and why. PATCH chooses who orders them, POST acts by hand."""

    queries = dict.fromkeys(("GET", "PATCH", "POST"), PageQuery)
    takes = {"PATCH": TopicOrderIn, "POST": TopicActIn}

    @operation("get_topic_order", "Explain the topic order", TopicOrderOut)
    def get(self, request: Request, slug: str) -> Response:
        return self._order(request)

    @operation(
        "set_topic_order",
        "Change the topic order's settings",
        TopicOrderOut,
        "Omitted settings keep their values. Started topics stay released.",
    )
    def patch(self, request: Request, slug: str) -> Response:
        wish = self.body(request, TopicOrderIn, partial=True)
        method = wish.pop("method", self.campaign.topic_method)
        same = method == self.campaign.topic_method
        options = wish.pop("options", options_of(self.campaign) if same else {})
        releases.set_order(campaign=self.campaign, method=method, options=options, **wish)
        return self._order(request)

    @operation("act_on_topic_order", "Release, hold back or move a topic", {200: TopicOrderOut, 409: Problem})
    def post(self, request: Request, slug: str) -> Response:
        wish = self.body(request, TopicActIn)
        number, place = wish["topic"], wish.get("place")
        if (wish["act"] == "move") != (place is not None):
            raise Refusal(
                "bad_place", gettext("give `place` with a move, and only with a move"), field="place"
            )
        match wish["act"]:
            case "release":
                releases.release(campaign=self.campaign, number=number)
            case "hold":
                releases.hold(campaign=self.campaign, number=number)
            case "requeue":
                releases.requeue(campaign=self.campaign, number=number)
            case _:
                releases.move(campaign=self.campaign, number=number, place=wish["place"])
        return self._order(request)

    def _order(self, request: Request) -> Response:
        view = topic_order_view(self.campaign)
        page = PLACES_LISTING.of_rows(request, self.asked, enumerate(view.topics))
        stored, content = view.stored, view.stored.content if view.stored else OrderContent()
        return Response(
            {
                **{name: getattr(view, name) for name in ("method", "options", "ahead", "first", "wanted")},
                "as_of": stored.as_of if stored else None,
                "done": stored.done if stored else 0,
                "total": stored.total if stored else 0,
                **{name: getattr(content, name) for name in ("runs", "depth", "measures")},
                "topics": [_topic(place) for _, place in page.rows],
                "next": page.next,
                "previous": page.previous,
                "agreement": [_agreement(one) for one in view.agreement],
                "notes": view.notes,
            }
        )


def _topic(place: TopicPlace) -> dict[str, Any]:
    figures = {name: value for name, value in asdict(place.figures).items() if name != "topic"}
    return {
        "number": place.state.number,
        "title": place.state.title,
        "state": place.stands,
        "place": place.place,
        "judged": place.state.judged,
        **figures,
        "reason": place.released or {},
    }


def _agreement(one: PredictedAgreement) -> dict[str, Any]:
    names = ("mean", "low", "high")
    return {
        "topics": one.topics,
        "pearson": dict(zip(names, one.pearson, strict=True)),
        "tau": dict(zip(names, one.tau, strict=True)),
    }
