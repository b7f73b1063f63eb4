"""The page of the guidelines' examples: which documents show assessors what a grade means."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext, ngettext

from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, GuidelineExample
from campaigns.pages.access import organiser_page
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.topics.table import topic_choices
from campaigns.results.pooled_examples import pooled_in
from campaigns.setup import examples as services
from campaigns.templatetags.contexts import CampaignContext, render_page


def _add(request: HttpRequest, campaign: Campaign) -> str:
    """One document whose docno is typed, or all that are selected in a search."""
    posted = request.POST
    docnos = [docno.strip() for docno in posted.getlist("docno") if docno.strip()]
    if any("\0" in docno for docno in docnos):
        raise Refusal("bad_example", gettext("a NUL character is no text"), field="docno")
    added = services.add_examples(campaign=campaign, docnos=docnos, **_fields(posted))
    said = ngettext(
        "%(docno)s is an example in the guidelines now.",
        "%(count)s documents are examples in the guidelines now.",
        len(added),
    )
    words = said % {"docno": docnos[0], "count": len(added)}
    if any(pooled_in(campaign=campaign, examples=added).values()):
        words += " " + gettext("The list says in which topics assessors may be asked to judge it.")
    return words


def _change(request: HttpRequest, campaign: Campaign) -> str:
    posted = request.POST
    row = services.change_example(campaign=campaign, example=_row(posted), **_fields(posted))
    return gettext("The example %(docno)s is changed.") % {"docno": row.document.docno}


def _remove(request: HttpRequest, campaign: Campaign) -> str:
    services.remove_example(campaign=campaign, example=_row(request.POST))
    return gettext("The example is deleted. Its document stays.")


def _move(request: HttpRequest, campaign: Campaign, *, by: int) -> str:
    services.move_example(campaign=campaign, example=_row(request.POST), by=by)
    return gettext("The order is changed.")


def _fields(posted: QueryDict) -> dict[str, Any]:
    """Grade, reason and topic; an empty topic is every topic."""
    topic, grade, reason = (posted.get(name, "").strip() for name in ("topic", "grade", "reason"))
    if "\0" in topic + reason:
        raise Refusal("bad_example", gettext("a NUL character is no text"), field="reason")
    return {"topic": topic or None, "grade": _whole(grade, "grade"), "reason": reason}


def _row(posted: QueryDict) -> int:
    return _whole(posted.get("example", ""), "example")


def _whole(text: str, field: str) -> int:
    number = read_digits(text)
    if number is None:
        words = gettext("a whole number is expected, not “%(given)s”") % {"given": text[:20]}
        raise Refusal("bad_number", words, field=field)
    return number


class ExamplesPage(CampaignContext, template="campaigns/examples.html"):
    """`rows`: each with the label of its grade and the topics in which it may be judged, None while that is
    computed; `chosen`: the example that is changed."""

    computing: bool
    rows: list[tuple[GuidelineExample, str, list[str] | None]]
    chosen: GuidelineExample | None
    typed: Mapping[str, Any]
    topics: list[tuple[str, str]]
    refused: Refusal | None


@page_with_acts(
    organiser_page,
    acts={
        "add": _add,
        "change": _change,
        "remove": _remove,
        "up": partial(_move, by=-1),
        "down": partial(_move, by=1),
    },
)
def examples(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    """?change= the example whose grade, reason and topic are to be changed."""
    posted = request.POST
    rows = list(services.examples_of(campaign))
    pooled = pooled_in(campaign=campaign, examples=rows)
    labels = {row["grade"]: row["label"] for row in campaign.grades}
    changing = posted.get("example") if posted.get("act") == "change" else request.GET.get("change")
    chosen = next((row for row in rows if str(row.id) == changing), None)
    page = ExamplesPage(
        campaign=campaign,
        computing=None in pooled.values(),
        rows=[(row, labels.get(row.grade, ""), pooled[row.id]) for row in rows],
        chosen=chosen,
        typed=posted if answer.refused else _stored(chosen),
        topics=topic_choices(campaign),
        refused=answer.refused,
    )
    return render_page(request, page)


def _stored(row: GuidelineExample | None) -> dict[str, str]:
    if row is None:
        return {}
    return {"topic": row.topic.number if row.topic else "", "grade": str(row.grade), "reason": row.reason}
