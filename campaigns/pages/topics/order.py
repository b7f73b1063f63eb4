"""The page of the topics' order: who orders them, where each stands and why, and acts by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.cache import patch_cache_control
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.tables import TablePage, address, table_page
from campaigns.pages.topics.table import FEW_TOPICS, LONGEST_SEARCH, has_words
from campaigns.templatetags.contexts import CampaignContext, PageContext, render_page
from campaigns.topic_order import releases
from campaigns.topic_order.method_input import options_of
from campaigns.topic_order.order_content import PredictedAgreement
from campaigns.topic_order.view import (
    FINISHED,
    HELD,
    OPEN,
    WAITING,
    TopicOrderView,
    TopicPlace,
    reason_of,
    topic_order_view,
)
from selection.topics.methods import TOPIC_METHODS, LearningOptions

METHOD_LABELS: dict[str, str | Promise] = {
    "": gettext_lazy("All at once: every topic is offered"),
    "hand": gettext_lazy("By hand: in the file’s order, as you move topics"),
    "adaptive": gettext_lazy("Adaptive: what adds most to the agreement with all topics"),
    "adaptive+": gettext_lazy("Adaptive⁺: by votes of groups of runs, for runs that come later"),
    "adaptive*": gettext_lazy("Adaptive*: for several measures at once"),
    "iqp": gettext_lazy("IQP: as Adaptive, without uncertainty"),
    "random-topics": gettext_lazy("Random: drawn by lot"),
}
SHORT_LABELS: dict[str, str | Promise] = {
    "": gettext_lazy("all at once"),
    "hand": gettext_lazy("by hand"),
    "adaptive": "Adaptive",
    "adaptive+": "Adaptive⁺",
    "adaptive*": "Adaptive*",
    "iqp": "IQP",
    "random-topics": gettext_lazy("random"),
}

# Those that draw some topics before they choose.
DRAWING_METHODS = {n for n, entry in TOPIC_METHODS.items() if issubclass(entry.options, LearningOptions)}


def order_label(method: str) -> str:
    return str(SHORT_LABELS.get(method, method))


GROUPS: dict[str, str | Promise] = {
    OPEN: gettext_lazy("Released"),
    WAITING: gettext_lazy("Waiting, in this order"),
    HELD: gettext_lazy("Held back"),
    FINISHED: gettext_lazy("Finished"),
}
# So many topics of each group are shown; the others are on pages of their own.
FIRST_ROWS = 50
# Of the curves, in the units of their picture.
CURVE_WIDTH, CURVE_HEIGHT = 400, 200


class TopicOrderPart(CampaignContext, template="campaigns/topics/_order.html"):
    """The live part of the page. `counts`: topics by how they stand; `every`: the address without a choice
    of them."""

    order: TopicOrderView
    groups: list[TopicGroup]
    counts: dict[str, int]
    words: str
    stands: str
    here: str
    every: str
    filtering: bool
    method_label: str
    percent: int | None
    latest: PredictedAgreement | None
    curves: list[AgreementCurve]
    voting: bool


class TopicOrderPage(PageContext, template="campaigns/topics/order.html"):
    live: TopicOrderPart
    drawn_first: object
    methods: Sequence[tuple[str, str | Promise]] = tuple(METHOD_LABELS.items())
    most_ahead: int = releases.MOST_AHEAD


def _act(request: HttpRequest, campaign: Campaign) -> str:
    posted = request.POST
    if "method" in posted:
        method = str(posted["method"])
        ahead = read_digits(posted.get("ahead", ""))
        if ahead is None:
            raise Refusal("bad_ahead", gettext("say with a number how many topics are open ahead"))
        options = _options(campaign, method, posted)
        releases.set_order(campaign=campaign, method=method, options=options, ahead=ahead)
        if not method:
            return gettext("All topics are released.")
        return gettext("The worker orders the topics and releases the next ones.")
    for name, act, words in (
        ("release", releases.release, gettext("Topic %(number)s is released.")),
        ("hold", releases.hold, gettext("Topic %(number)s is held back.")),
        ("requeue", releases.requeue, gettext("Topic %(number)s waits for its turn again.")),
    ):
        if name in posted:
            act(campaign=campaign, number=str(posted[name]))
            return words % {"number": posted[name]}
    number, place = _place(campaign, posted)
    releases.move(campaign=campaign, number=number, place=place)
    return gettext("Topic %(number)s is at place %(place)s.") % {"number": number, "place": place}


def _back(request: HttpRequest, campaign: Campaign) -> str:
    return address(request, request.path)


@page_with_acts(organiser_page, act=_act, back=_back, in_messages=True)
def topic_order(request: HttpRequest, campaign: Campaign, _answer: Answer) -> HttpResponse:
    view = topic_order_view(campaign)
    live = _live(request, campaign, view)
    if request.headers.get("HX-Request"):
        # Its address is the page's, too: a browser that goes back must not show the part alone.
        part = render_page(request, live)
        patch_cache_control(part, no_store=True)
        return part
    return render_page(request, TopicOrderPage(live, _drawn_first(view.options)))


@dataclass(frozen=True)
class TopicGroup:
    """Topics that stand alike, and why each does. `table`: one page of them; `all`: the address of the first
    of their pages, where only some are shown."""

    stands: str
    label: str | Promise
    total: int
    rows: list[tuple[TopicPlace, str]]
    table: TablePage[TopicPlace] | None
    all: str


def _live(request: HttpRequest, campaign: Campaign, view: TopicOrderView) -> TopicOrderPart:
    """?words= and ?stands= choose topics; ?page= of those that stand so."""
    stored, words = view.stored, request.GET.get("words", "").strip()[:LONGEST_SEARCH]
    only = request.GET.get("stands", "")
    groups = [_group(request, view, stands, words, whole=stands == only) for stands in GROUPS]
    return TopicOrderPart(
        campaign=campaign,
        order=view,
        groups=[group for group in groups if group.total and only in ("", group.stands)],
        counts={stands: len(view.standing(stands)) for stands in GROUPS},
        words=words,
        stands=only,
        here=address(request, request.path),
        every=address(request, request.path, stands="", page=""),
        filtering=bool(words) or len(view.topics) > FEW_TOPICS,
        method_label=order_label(view.method),
        percent=100 * stored.done // stored.total if stored and stored.running else None,
        latest=view.agreement[-1] if view.agreement else None,
        curves=_curves(view),
        voting=view.method == "adaptive+",
    )


def _group(request: HttpRequest, view: TopicOrderView, stands: str, words: str, *, whole: bool) -> TopicGroup:
    found = view.standing(stands)
    if wanted := words.casefold().split():
        found = [one for one in found if has_words(one.state.number, one.state.title.casefold(), wanted)]
    table = table_page(request, found, ()) if whole else None
    rows = found[:FIRST_ROWS] if table is None else table.rows
    further = table is None and len(found) > FIRST_ROWS
    return TopicGroup(
        stands=stands,
        label=GROUPS[stands],
        total=len(found),
        rows=[(place, reason_of(place)) for place in rows],
        table=table,
        all=address(request, request.path, stands=stands, page="") if further else "",
    )


@dataclass(frozen=True)
class AgreementCurve:
    """`number` chooses its colour and dashes; `band` is the interval's outline."""

    number: int
    name: str
    points: str
    band: str


def _curves(view: TopicOrderView) -> list[AgreementCurve]:
    if not view.agreement:
        return []
    names = (("pearson", gettext("Pearson")), ("tau", gettext("Kendall’s τ")))
    return [_curve(view, number, *name) for number, name in enumerate(names)]


def _curve(view: TopicOrderView, number: int, attribute: str, name: str) -> AgreementCurve:
    def point(one: PredictedAgreement, value: float) -> str:
        x = CURVE_WIDTH * one.topics / len(view.topics)
        return f"{x:.1f},{CURVE_HEIGHT * (1 - max(value, 0.0)):.1f}"

    rows = [(one, getattr(one, attribute)) for one in view.agreement]
    points = [point(one, mean) for one, (mean, _, _) in rows]
    band = [point(one, high) for one, (_, _, high) in rows]
    band += [point(one, low) for one, (_, low, _) in reversed(rows)]
    return AgreementCurve(number, name, " ".join(points), " ".join(band))


def _drawn_first(options: Mapping[str, object]) -> object:
    return options.get("first", LearningOptions.first)


def _options(campaign: Campaign, method: str, posted: QueryDict) -> dict[str, object]:
    """Options that the method has already, and the number of topics drawn first where it draws any."""
    kept = options_of(campaign) if method == campaign.topic_method else {}
    if method not in DRAWING_METHODS or "first" not in posted:
        return dict(kept)
    first = read_digits(str(posted["first"]))
    if first is None:
        raise Refusal("bad_options", gettext("say with a number how many topics are drawn first"))
    return dict(kept) if first == _drawn_first(kept) else {**kept, "first": first}


def _place(campaign: Campaign, posted: QueryDict) -> tuple[str, int]:
    """A move by a step, or to a place that was typed."""
    if "move" in posted:
        place = read_digits(posted.get("place", ""))
        return posted.get("topic", ""), place if place is not None else 0
    waiting = releases.waiting_order(campaign) if campaign.topic_method else []
    for name, step in (("earlier", -1), ("later", 1)):
        if name in posted:
            number = str(posted[name])
            at = waiting.index(number) + 1 if number in waiting else 1
            return number, min(max(at + step, 1), max(len(waiting), 1))
    raise Refusal("unknown_act", gettext("say what to do: release, hold back, requeue or move a topic"))
