"""The training page: the items, their order, and how assessors do in them."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext

from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.exchange.uploads import size_limit
from campaigns.formats.errors import TRAINING_BYTES, Notices
from campaigns.formats.training import read_training
from campaigns.models import Campaign, TrainingItem
from campaigns.models.judgment import LEAST_TRAINING
from campaigns.pages.access import organiser_page
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.topics.table import topic_choices
from campaigns.quality import training as services
from campaigns.quality.training_attempts import TrainingRow, training_of
from campaigns.templatetags.contexts import CampaignContext, render_page

TYPED_FIELDS = ("topic", "grade", "reason")


def _add(request: HttpRequest, campaign: Campaign) -> str:
    """One document whose docno is typed, or all that are selected in a search."""
    posted = request.POST
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


def _upload(request: HttpRequest, campaign: Campaign) -> str:
    upload = request.FILES.get("file")
    if upload is None:
        raise Refusal("no_file", gettext("choose a file of training items"), field="file")
    name = upload.name or "upload"
    notices = Notices("items")
    records = read_training(upload, name, max_bytes=size_limit(TRAINING_BYTES), notices=notices)
    items = services.add_items(campaign=campaign, records=records, file=name)
    said = ngettext(
        "%(file)s: %(count)s training item added.", "%(file)s: %(count)s training items added.", len(items)
    ) % {"file": name, "count": len(items)}
    header = gettext("The first line names the columns.") if notices.rows() else ""
    return f"{said} {header}".strip()


def _remove(request: HttpRequest, campaign: Campaign) -> str:
    services.remove_item(campaign=campaign, item=_whole(request.POST.get("item", ""), "item"))
    return gettext("The item is out, with the answers to it.")


def _move(request: HttpRequest, campaign: Campaign, *, by: int) -> str:
    services.move_item(campaign=campaign, item=_whole(request.POST.get("item", ""), "item"), by=by)
    return gettext("The order is changed.")


def _whole(text: str, field: str) -> int:
    number = read_digits(text)
    if number is None:
        raise Refusal(
            "bad_number",
            gettext("a whole number is expected, not “%(given)s”") % {"given": text[:20]},
            field=field,
        )
    return number


class TrainingPage(CampaignContext, template="campaigns/training.html"):
    """`items`: each with the label of its grade; `topics`: number and title."""

    items: list[tuple[TrainingItem, str]]
    missing: int
    least: int
    topics: list[tuple[str, str]]
    assessors: list[TrainingRow]
    answer: Answer


@page_with_acts(
    organiser_page,
    acts={
        "add": _add,
        "upload": _upload,
        "remove": _remove,
        "up": partial(_move, by=-1),
        "down": partial(_move, by=1),
    },
)
def training(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    items = campaign.training_items.select_related("topic", "document").defer(
        "document__body", "document__html"
    )
    labels = {row["grade"]: row["label"] for row in campaign.grades}
    page = TrainingPage(
        campaign=campaign,
        items=[(item, labels.get(item.grade, "")) for item in items],
        missing=services.missing_items(campaign),
        least=LEAST_TRAINING,
        topics=topic_choices(campaign),
        assessors=training_of(campaign=campaign),
        answer=answer,
    )
    return render_page(request, page)
