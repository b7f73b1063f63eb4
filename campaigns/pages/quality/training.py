"""The training page: the items, their order, and how assessors do in them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal, unknown_act
from campaigns.exchange.uploads import size_limit
from campaigns.formats.errors import TRAINING_BYTES, FormatError
from campaigns.formats.training import read_training
from campaigns.models import Campaign
from campaigns.models.judgment import LEAST_TRAINING
from campaigns.pages.access import organiser_page
from campaigns.pages.topics.table import topic_choices
from campaigns.quality import training as services
from campaigns.quality.training_attempts import training_of

TYPED_FIELDS = ("topic", "grade", "reason")


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def training(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    answer: dict[str, Any] = {}
    if request.method == "POST":
        try:
            messages.success(request, _act(request, campaign))
        except Refusal as refused:
            answer = {"refused": refused, "typed": request.POST}
        except FormatError as error:
            answer = {"wrong_file": error}
        else:
            return redirect("campaigns:training", slug=campaign.slug)
    items = campaign.training_items.select_related("topic", "document").defer(
        "document__body", "document__html"
    )
    labels = {row["grade"]: row["label"] for row in campaign.grades}
    context = {
        "campaign": campaign,
        "items": [(item, labels.get(item.grade, "")) for item in items],
        "missing": services.missing_items(campaign),
        "least": LEAST_TRAINING,
        "topics": topic_choices(campaign),
        "assessors": training_of(campaign=campaign),
        **answer,
    }
    return render(request, "campaigns/training.html", context, status=_status(answer))


def _act(request: HttpRequest, campaign: Campaign) -> str:
    posted = request.POST
    match posted.get("act"):
        case "add":
            return _add(campaign, posted)
        case "upload":
            upload = request.FILES.get("file")
            if upload is None:
                raise Refusal("no_file", gettext("choose a file of training items"), field="file")
            name = upload.name or "upload"
            records = read_training(upload, name, max_bytes=size_limit(TRAINING_BYTES))
            items = services.add_items(campaign=campaign, records=records, file=name)
            return ngettext(
                "%(file)s: %(count)s training item added.",
                "%(file)s: %(count)s training items added.",
                len(items),
            ) % {"file": name, "count": len(items)}
        case "remove":
            services.remove_item(campaign=campaign, item=_whole(posted.get("item", ""), "item"))
            return gettext("The item is out, with the answers to it.")
        case "up" | "down" as direction:
            by = -1 if direction == "up" else 1
            services.move_item(campaign=campaign, item=_whole(posted.get("item", ""), "item"), by=by)
            return gettext("The order is changed.")
        case other:
            raise unknown_act(other)


def _add(campaign: Campaign, posted: QueryDict) -> str:
    """One document whose docno is typed, or all that are selected in a search."""
    topic, grade, reason = (posted.get(name, "").strip() for name in TYPED_FIELDS)
    docnos = [docno.strip() for docno in posted.getlist("docno") if docno.strip()]
    if "\0" in topic + reason + "".join(docnos):
        raise Refusal("bad_item", gettext("a NUL character is no text"), field="docno")
    added = services.add_documents(
        campaign=campaign, topic=topic, docnos=docnos, grade=_whole(grade, "grade"), reason=reason
    )
    said = ngettext(
        "%(docno)s is a training item now.", "%(count)s documents are training items now.", len(added)
    )
    return said % {"docno": docnos[0], "count": len(added)}


def _whole(text: str, field: str) -> int:
    number = read_digits(text)
    if number is None:
        raise Refusal(
            "bad_number",
            gettext("a whole number is expected, not “%(given)s”") % {"given": text[:20]},
            field=field,
        )
    return number


def _status(answer: dict[str, Any]) -> int:
    if "refused" in answer:
        return int(answer["refused"].status)
    return 400 if answer else 200
