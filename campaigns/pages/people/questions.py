"""The page of assessors' questions about documents, open ones first, each with room for the answer."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.judging.questions import LONGEST_QUESTION, answer, open_questions, with_names
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.tables import table_page


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
def questions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    refused, here = None, reverse("campaigns:questions", args=[campaign.slug])
    question = digits_or_zero(request.POST.get("question", ""))
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
            return redirect(table_page(request, _in_order(campaign), (), path=here).here)
    table = table_page(request, _in_order(campaign), (), path=here)
    found = with_names(campaign.questions.all()).in_bulk(table.rows)
    rows = [found[id] for id in table.rows]
    context = {
        "campaign": campaign,
        "table": table,
        "open": [row for row in rows if row.answered_at is None],
        "answered": [row for row in rows if row.answered_at is not None],
        "longest": LONGEST_QUESTION,
        "refused": refused,
        "typed": (question, request.POST.get("answer", "")),
    }
    status = refused.status if refused else 200
    return render(request, "campaigns/questions/questions.html", context, status=status)


def _in_order(campaign: Campaign) -> list[int]:
    """Open questions, the oldest first; then the answered ones, the latest answer first."""
    answered = campaign.questions.exclude(answered_at=None).order_by("-answered_at", "-id")
    waiting = open_questions(campaign=campaign).order_by("id")
    return [*waiting.values_list("id", flat=True), *answered.values_list("id", flat=True)]
