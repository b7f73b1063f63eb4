"""The adjudication page: disputed documents, decided one at a time."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from campaigns.collection.document_revisions import earlier_judged
from campaigns.configuration.scale import grade_labels
from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.log.annotations import graded_annotations
from campaigns.models import Annotation, Campaign, Judgment
from campaigns.models.campaign import Policy
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Act, Answer, page_with_acts
from campaigns.pages.documents import DocumentText, document_text
from campaigns.quality import adjudication as services
from campaigns.quality.dispute_weights import DocumentPlace
from campaigns.quality.disputes import (
    DisputeCase,
    adjudication_queue,
    case_of,
    dispute_of,
    document_place_of,
    latest_decisions,
)
from campaigns.results.policy_effects import PolicyEffect, policy_effects
from campaigns.setup.settings import POLICIES
from campaigns.templatetags.contexts import CampaignContext, render_page

# A number that fits any queue.
PLACE_DIGITS = 6


def _decide(request: HttpRequest, campaign: Campaign) -> str:
    posted, place = request.POST, _place(request)
    grade, seen, note = _grade(posted.get("grade", "")), posted.get("seen", ""), _note(posted)
    read = digits_or_zero(posted.get("document_revision", "")) or None
    services.decide(campaign=campaign, grade=grade, seen=seen, note=note, document_revision=read, **place)
    return _("{docno} is decided: {grade}.").format(docno=place["docno"], grade=grade)


def _undo(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    place = _place(request)
    services.undo_decision(campaign=campaign, **place)
    messages.success(request, _("Your decision on {docno} is undone.").format(docno=place["docno"]))
    here = reverse("campaigns:adjudicate", args=[campaign.slug])
    return redirect(f"{here}?{urlencode({'topic': place['topic'], 'docno': place['docno']})}")


def _place(request: HttpRequest) -> dict[str, Any]:
    """Adjudicator, disputed place and id of a form's act."""
    posted = request.POST
    place = {name: posted.get(name, "") for name in ("topic", "docno")}
    return {"adjudicator": signed_in_user(request), **place, "id": _id(posted.get("id", ""))}


def _next_case(request: HttpRequest, campaign: Campaign) -> str:
    return f"{request.path}?{urlencode({'place': _queue_place(request.POST.get('place', '0'))})}"


ACTS: dict[str, Act] = {"decide": _decide, "take back": _undo}


class AdjudicationPage(CampaignContext, template="campaigns/adjudication/adjudication.html"):
    """`own`: disputed documents that the reader judged; `id`: of the act that decides `case`; `given`: grades
    with their labels."""

    waiting: int
    own: int
    place: int
    from_queue: bool
    decisions: list[tuple[Judgment, str, list[tuple[str, int]], bool]]
    policy: str
    case: DisputeCase | None = None
    text: DocumentText = DocumentText()
    annotations: Sequence[tuple[int | None, str, Annotation]] = ()
    earlier: Sequence[tuple[int, datetime]] = ()
    asks_note: bool = False
    given: Sequence[tuple[int, str]] = ()
    id: uuid.UUID = field(default_factory=uuid.uuid4)


@page_with_acts(organiser_page, acts=ACTS, back=_next_case, in_messages=True)
def adjudicate(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    """One document at a time: the queue's, ?place= steps from its head, or ?topic=&docno= a certain one."""
    reader = signed_in_user(request).id
    queue = adjudication_queue(campaign=campaign, reader=reader)
    waiting = queue.waiting
    place = min(_queue_place(request.GET.get("place", "0")), max(len(waiting) - 1, 0))
    chosen = _wanted(request, campaign) or (waiting[place] if waiting else None)
    dispute = dispute_of(campaign=campaign, place=chosen, reader=reader) if chosen else None
    if dispute is None and "docno" in request.GET:
        raise Http404
    labels = grade_labels(campaign.grades)
    decisions = [
        (row.act, labels.get(row.act.grade, ""), row.grades, row.act.assessor_id == reader)
        for row in latest_decisions(campaign=campaign)
    ]
    policy = next(str(words) for name, _label, words in POLICIES if name == campaign.policy)
    from_queue = "docno" not in request.GET
    page = AdjudicationPage(campaign, len(waiting), queue.own, place, from_queue, decisions, policy)
    if dispute is not None:
        case, (topic, document) = case_of(dispute), dispute.place
        notes = graded_annotations(topic=topic, document=document)
        page = replace(
            page,
            case=case,
            text=document_text(campaign, case.document),
            annotations=[(grade, labels.get(grade, ""), row) for grade, row in notes],
            earlier=earlier_judged(topic, document),
            asks_note=campaign.note_on_disagreement and len(set(dispute.grades)) > 1,
            given=[(grade, labels.get(grade, "")) for grade in dispute.grades],
        )
    return render_page(request, page)


class PoliciesPart(CampaignContext, template="campaigns/adjudication/_policies.html"):
    effects: list[tuple[PolicyEffect, str, str]]


@require_safe
@organiser_page
def effects(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Effects of the policies, fetched by the People page once it stands: all rankings with a disputed
    document are read for it."""
    words = {name: (str(label), str(about)) for name, label, about in POLICIES}
    rows = [(row, *words[Policy(row.policy)]) for row in policy_effects(campaign=campaign)]
    return render_page(request, PoliciesPart(campaign, rows))


def _wanted(request: HttpRequest, campaign: Campaign) -> DocumentPlace | None:
    if "docno" not in request.GET:
        return None
    topic, docno = request.GET.get("topic", ""), request.GET["docno"]
    place = document_place_of(campaign=campaign, topic=topic, docno=docno)
    if place is None:
        raise Http404
    return place


def _queue_place(typed: str) -> int:
    return digits_or_zero(typed, PLACE_DIGITS)


def _id(typed: str) -> uuid.UUID:
    try:
        return uuid.UUID(typed)
    except ValueError:
        raise Refusal("bad_id", "the decision’s id is no UUID", field="id") from None


def _note(posted: QueryDict) -> str:
    return posted.get("note", "").replace("\0", "").replace("\r\n", "\n")


def _grade(typed: str) -> int:
    try:
        return int(typed)
    except ValueError:
        raise Refusal("bad_grade", f"“{typed[:20]}” is no grade", field="grade") from None
