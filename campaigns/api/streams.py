"""Server-sent events. Each is first a row, so a page that was away catches up by the last id it saw; pages
that ask for it also get what they show beside the events (campaigns/api/streaming)."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import translation
from django.utils.translation import get_language, gettext
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.scopes import token_of
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import RESULTS_TAG
from campaigns.api.shapes.streams import Event as EventShape
from campaigns.api.shapes.streams import EventsQuery
from campaigns.api.streaming.fanout import fanout
from campaigns.api.streaming.frames import in_thread
from campaigns.api.streaming.listener import Listener
from campaigns.core.digits import read_digits
from campaigns.core.problems import refusal

operation = Operations(RESULTS_TAG)

# How long browsers wait before they open a broken stream again: not all of them at once.
RETRY_MILLISECONDS = range(2000, 4000)
STREAM_TYPE = "text/event-stream; charset=utf-8"


@csrf_exempt
async def events(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    if request.method != "GET":
        refused = refusal(405, "method_not_allowed", gettext("events are read with GET"))
        refused.headers["Allow"] = "GET"
        return refused
    answer = await in_thread(_ask, request, slug, get_language() or settings.LANGUAGE_CODE)
    if isinstance(answer, HttpResponse):
        return answer
    response = StreamingHttpResponse(_stream(answer, _last_seen(request)), content_type=STREAM_TYPE)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response


class EventsView(OrganiserView):
    """Stream of a campaign's events: access is checked as in every other view, before the stream itself
    begins."""

    queries = {"GET": EventsQuery}

    @operation(
        "follow_events",
        "Stream live events",
        {(200, "text/event-stream"): EventShape},
        "Server-sent events, such as `judgment`, `intervals`, `measured` and `status`, each with an ID. "
        "`Last-Event-ID` resumes the stream after that event.",
    )
    def get(self, request: Request, slug: str) -> Response:
        token = token_of(request)
        session = None if token else request._request.session.session_key
        who = {"campaign": self.campaign.id, "user": self.user.id, "token": token, "session": session}
        return Response({**who, "page": self.asked["page"], "topics": self.asked["topics"]})


def _ask(request: HttpRequest, slug: str, language: str) -> Listener | HttpResponse:
    """The listener, or the answer to a person who may not follow the campaign."""
    with translation.override(language):
        answer = EventsView.as_view()(request, slug=slug)
        if answer.status_code == 200:
            return Listener(**answer.data, language=language)
        refusal: HttpResponse = answer.render()
        return refusal


def _last_seen(request: HttpRequest) -> int | None:
    value = request.headers.get("Last-Event-ID", request.GET.get("last_event_id", ""))
    return read_digits(value, 18)


async def _stream(listener: Listener, last_seen: int | None) -> AsyncIterator[bytes]:
    # Listen first, then read the rows.
    fanout().enter(listener)
    try:
        yield b"retry: %d\n\n" % secrets.choice(RETRY_MILLISECONDS)
        async for piece in listener.stream(last_seen):
            yield piece
    finally:
        fanout().leave(listener)
