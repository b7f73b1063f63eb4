"""The figures of the exports page: previews that wait for the worker, and files."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_drawing
from campaigns.figures.drawings import FigureRequest, drawing_of
from campaigns.figures.sheet import FIGURE_TYPES, WIDTHS
from campaigns.log.audit import note
from campaigns.models import Campaign, Drawing
from campaigns.pages.access import organiser_page
from campaigns.templatetags.contexts import CampaignContext, render_page

# Name, title, and what the figure shows.
EXPORT_FIGURES = (
    (
        "intervals",
        gettext_lazy("Intervals"),
        gettext_lazy("Each run’s score range, prediction interval and expected score, as on the overview."),
    ),
    (
        "curves",
        gettext_lazy("Convergence"),
        gettext_lazy("Mean residual, separated pairs and the first runs’ score ranges over the judgments."),
    ),
    (
        "residuals",
        gettext_lazy("Topics"),
        gettext_lazy("Residuals of the runs by topic, the largest first."),
    ),
)

# Looks at what the worker does, about a second apart; asked again in case a request was lost.
LOOKS, ASKED_EVERY = 60, 15


@dataclass(frozen=True)
class FigurePreview:
    """`drawing`: None while the worker is to draw it; `looked`: so many times since; `waits`: whether it may
    still come."""

    wanted: FigureRequest
    drawing: Drawing | None
    looked: int = 0
    waits: bool = True

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(FIGURE_TYPES)


class PreviewPart(CampaignContext, template="campaigns/exports/_preview.html"):
    preview: FigurePreview


class FigurePage(CampaignContext, template="campaigns/exports/figure.html"):
    wanted: FigureRequest
    kind: str
    waits: bool


def preview_of(campaign: Campaign, figure: str, scope: str) -> FigurePreview:
    """The wide figure: the narrow one shows the same."""
    wanted = FigureRequest(figure, WIDTHS[-1], topics=scope)
    return FigurePreview(wanted, drawing_of(campaign=campaign, wanted=wanted))


@require_safe
@organiser_page
def preview(request: HttpRequest, campaign: Campaign, figure: str) -> HttpResponse:
    """One figure of the exports page; until the worker has drawn it, the part asks for itself again."""
    try:
        wanted, looked = _wanted(request, figure), _number(request, "looked", 0)
    except Refusal as refused:
        return _refused(refused)
    drawing = drawing_of(campaign=campaign, wanted=wanted)
    waits = drawing is None and _asked(campaign, wanted, looked)
    return render_page(request, PreviewPart(campaign, FigurePreview(wanted, drawing, looked + 1, waits)))


@require_safe
@organiser_page
def figure(request: HttpRequest, campaign: Campaign, figure: str, kind: str = "") -> HttpResponse:
    """The figure as a file, of the `format` asked for if the address has none. With `inline` a picture of
    a page; until the worker has drawn it, a page that looks again by itself. `as_of`: an older drawing that
    knows the log up to that entry serves, too."""
    kind = kind or request.GET.get("format", "svg")
    if kind not in FIGURE_TYPES:
        raise Http404
    try:
        wanted, looked = _wanted(request, figure), _number(request, "looked", 0)
        as_of = _number(request, "as_of", 0) if "as_of" in request.GET else None
    except Refusal as refused:
        return _refused(refused)
    drawing = drawing_of(campaign=campaign, wanted=wanted, kind=kind, as_of=as_of)
    if drawing is None:
        return _wait(request, campaign, wanted, kind, looked)
    name = f"{campaign.slug}.{wanted.name}.{kind}"
    if "inline" not in request.GET:
        note(campaign=campaign, kind="exported", file=name)
    place = "inline" if "inline" in request.GET else "attachment"
    return HttpResponse(
        bytes(drawing.content),
        content_type=FIGURE_TYPES[kind],
        headers={"Content-Disposition": f'{place}; filename="{name}"'},
    )


def _wait(
    request: HttpRequest, campaign: Campaign, wanted: FigureRequest, kind: str, looked: int
) -> HttpResponse:
    waits = _asked(campaign, wanted, looked)
    reply = render_page(request, FigurePage(campaign, wanted, kind, waits), status=202 if waits else 503)
    if waits:
        query = request.GET.copy()
        query["looked"] = str(looked + 1)
        reply.headers["Refresh"] = f"1; url={request.path}?{query.urlencode()}"
    return reply


def _asked(campaign: Campaign, wanted: FigureRequest, looked: int) -> bool:
    """True if the worker was asked to draw and may still do so."""
    reached = looked % ASKED_EVERY != 0 or request_drawing(
        campaign.id, figure=wanted.figure, width=wanted.width, top=wanted.top, topics=wanted.topics
    )
    return reached and looked < LOOKS


def _wanted(request: HttpRequest, figure: str) -> FigureRequest:
    sizes = _number(request, "width", WIDTHS[0]), _number(request, "top", 0)
    return FigureRequest(figure, *sizes, request.GET.get("topics", "all"))


def _refused(refused: Refusal) -> HttpResponse:
    if refused.status == 404:
        raise Http404 from refused
    return HttpResponse(refused.detail, status=refused.status, content_type="text/plain; charset=utf-8")


def _number(request: HttpRequest, name: str, default: int) -> int:
    text = request.GET.get(name, str(default))
    number = read_digits(text, 9)
    if number is None:
        raise Refusal("bad_number", f"{name} is a whole number, not {text[:20]!r}", field=name)
    return number
