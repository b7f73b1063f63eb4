"""The adjudication page: disputed documents, decided one at a time."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from campaigns.collection.document_revisions import earlier_judged
from campaigns.configuration.scale import grade_labels
from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.log.annotations import graded_annotations
from campaigns.models import Campaign
from campaigns.models.campaign import Policy
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Act, Answer, page_with_acts
from campaigns.pages.documents import document_text
from campaigns.quality import adjudication as services
from campaigns.quality.dispute_weights import DocumentPlace
from campaigns.quality.disputes import (
    adjudication_queue,
    case_of,
    dispute_of,
    document_place_of,
    latest_decisions,
)
from campaigns.results.policy_effects import policy_effects
from campaigns.setup.settings import POLICIES

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
    context: dict[str, Any] = {
        "campaign": campaign,
        "waiting": len(waiting),
        "own": queue.own,
        "place": place,
        "from_queue": "docno" not in request.GET,
        "decisions": [
            (row.act, labels.get(row.act.grade, ""), row.grades, row.act.assessor_id == reader)
            for row in latest_decisions(campaign=campaign)
        ],
        "policy": next(words for name, _label, words in POLICIES if name == campaign.policy),
    }
    if dispute is not None:
        case = case_of(dispute)
        context |= {"case": case, "id": uuid.uuid4(), **document_text(campaign, case.document).names()}
        topic, document = dispute.place
        context["annotations"] = [
            (grade, labels.get(grade, ""), row)
            for grade, row in graded_annotations(topic=topic, document=document)
        ]
        context["earlier"] = earlier_judged(topic, document)
        context["asks_note"] = campaign.note_on_disagreement and len(set(dispute.grades)) > 1
        context["given"] = [(grade, labels.get(grade, "")) for grade in dispute.grades]
    return render(request, "campaigns/adjudication/adjudication.html", context)


@require_safe
@organiser_page
def effects(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Effects of the policies, fetched by the People page once it stands: all rankings with a disputed
    document are read for it."""
    words = {name: (label, about) for name, label, about in POLICIES}
    rows = [(row, *words[Policy(row.policy)]) for row in policy_effects(campaign=campaign)]
    return render(request, "campaigns/adjudication/_policies.html", {"campaign": campaign, "effects": rows})


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
