from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.core.errors import Refused
from campaigns.core.jobs import request_drawing
from campaigns.log.audit import note
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page
from campaigns.results.charts import KINDS
from campaigns.results.figures import Wanted, drawing_of

# Looks at what the worker does, a second apart; asked again in case a wish was lost.
LOOKS, ASKED_EVERY = 60, 15


@require_safe
@organiser_page
def figure(request: HttpRequest, campaign: Campaign, figure: str, kind: str) -> HttpResponse:
    """The figure as a file; until the worker has drawn it, a page that looks again by itself."""
    try:
        wanted = Wanted(figure, _number(request, "width", 84), _number(request, "top", 0), kind)
        looked = _number(request, "looked", 0)
    except Refused as refused:
        if refused.status == 404:
            raise Http404 from refused
        return HttpResponse(refused.detail, status=refused.status, content_type="text/plain; charset=utf-8")
    drawing = drawing_of(campaign=campaign, wanted=wanted)
    if drawing is None:
        return _wait(request, campaign, wanted, looked)
    name = f"{campaign.slug}.{wanted.name}.{kind}"
    note(campaign=campaign, kind="exported", file=name)
    return HttpResponse(
        bytes(drawing.content),
        content_type=KINDS[kind],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _wait(request: HttpRequest, campaign: Campaign, wanted: Wanted, looked: int) -> HttpResponse:
    reached = looked % ASKED_EVERY != 0 or request_drawing(
        campaign.id, figure=wanted.figure, width=wanted.width, top=wanted.top, kind=wanted.kind
    )
    waits = reached and looked < LOOKS
    reply = render(
        request,
        "campaigns/drawing.html",
        {"campaign": campaign, "wanted": wanted, "waits": waits},
        status=202 if waits else 503,
    )
    if waits:
        query = request.GET.copy()
        query["looked"] = str(looked + 1)
        reply.headers["Refresh"] = f"1; url={request.path}?{query.urlencode()}"
    return reply


def _number(request: HttpRequest, name: str, default: int) -> int:
    text = request.GET.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise Refused("bad_number", f"{name} is a whole number, not {text[:20]!r}", field=name)
    return int(text)
