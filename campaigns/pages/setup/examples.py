"""The page of the guidelines' examples: which documents show assessors what a grade means."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, GuidelineExample
from campaigns.pages.access import organiser_page
from campaigns.pages.topics.table import topic_choices
from campaigns.results.pooled_examples import pooled_in
from campaigns.setup import examples as services


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def examples(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """?change= the example whose grade, reason and topic are to be changed."""
    refused = None
    posted = request.POST
    if request.method == "POST":
        try:
            messages.success(request, _act(campaign, posted))
        except Refusal as refusal:
            refused = refusal
        else:
            return redirect("campaigns:examples", slug=campaign.slug)
    rows = list(services.examples_of(campaign))
    pooled = pooled_in(campaign=campaign, examples=rows)
    labels = {row["grade"]: row["label"] for row in campaign.grades}
    changing = posted.get("example") if posted.get("act") == "change" else request.GET.get("change")
    chosen = next((row for row in rows if str(row.id) == changing), None)
    context = {
        "campaign": campaign,
        "computing": None in pooled.values(),
        "rows": [(row, labels.get(row.grade, ""), pooled[row.id]) for row in rows],
        "chosen": chosen,
        "typed": posted if refused else _stored(chosen),
        "topics": topic_choices(campaign),
        "refused": refused,
    }
    return render(request, "campaigns/examples.html", context, status=refused.status if refused else 200)


def _stored(row: GuidelineExample | None) -> dict[str, str]:
    if row is None:
        return {}
    return {"topic": row.topic.number if row.topic else "", "grade": str(row.grade), "reason": row.reason}


def _act(campaign: Campaign, posted: QueryDict) -> str:
    match posted.get("act"):
        case "add":
            return _add(campaign, posted)
        case "change":
            row = services.change_example(campaign=campaign, example=_row(posted), **_fields(posted))
            return gettext("The example %(docno)s is changed.") % {"docno": row.document.docno}
        case "remove":
            services.remove_example(campaign=campaign, example=_row(posted))
            return gettext("The example is deleted. Its document stays.")
        case "up" | "down" as direction:
            by = -1 if direction == "up" else 1
            services.move_example(campaign=campaign, example=_row(posted), by=by)
            return gettext("The order is changed.")
        case other:
            words = gettext("there is no action “%(other)s” here") % {"other": other}
            raise Refusal("unknown_act", words, field="act")


def _add(campaign: Campaign, posted: QueryDict) -> str:
    """One document whose docno is typed, or all that are selected in a search."""
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
