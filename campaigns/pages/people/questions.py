"""The page of assessors' questions about documents, open ones first, each with room for the answer."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.judging.questions import LONGEST_QUESTION, answer, open_questions, with_names
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page, signed_in_user

# As many as a page shows; the API lists all.
MOST_SHOWN = 100


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def questions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    refused = None
    question = read_digits(request.POST.get("question", "")) or 0
    if request.method == "POST":
        try:
            row = answer(
                campaign=campaign,
                organiser=signed_in_user(request),
                question=question,
                text=request.POST.get("answer", ""),
            )
        except Refusal as refusal:
            refused = refusal
        else:
            said = gettext("%(name)s sees your answer on “My work” and at the document.")
            messages.success(request, said % {"name": row.assessor.get_username()})
            return redirect("campaigns:questions", slug=campaign.slug)
    waiting = open_questions(campaign=campaign)
    answered = campaign.questions.exclude(answered_at=None).order_by("-answered_at", "-id")
    context = {
        "campaign": campaign,
        "waiting": waiting.count(),
        "open": list(with_names(waiting.order_by("id"))[:MOST_SHOWN]),
        "answered": list(with_names(answered)[:MOST_SHOWN]),
        "most": MOST_SHOWN,
        "longest": LONGEST_QUESTION,
        "refused": refused,
        "typed": (question, request.POST.get("answer", "")),
    }
    status = refused.status if refused else 200
    return render(request, "campaigns/people/questions.html", context, status=status)
