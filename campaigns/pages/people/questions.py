"""The page of assessors' questions about documents, open ones first, each with room for the answer."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.judging import questions as services
from campaigns.models import Campaign, Question
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.pages.tables import TablePage, table_page
from campaigns.templatetags.contexts import CampaignContext, render_page


def _answer(request: HttpRequest, campaign: Campaign) -> str:
    row = services.answer(
        campaign=campaign,
        organiser=signed_in_user(request),
        question=digits_or_zero(request.POST.get("question", "")),
        text=request.POST.get("answer", ""),
    )
    words = gettext("%(name)s sees your answer on “My work” and at the document.")
    return words % {"name": row.assessor.get_username()}


def _table(request: HttpRequest, campaign: Campaign) -> TablePage[int]:
    """Open questions, the oldest first; then the answered ones, the latest answer first."""
    answered = campaign.questions.exclude(answered_at=None).order_by("-answered_at", "-id")
    waiting = services.open_questions(campaign=campaign).order_by("id")
    ids = [*waiting.values_list("id", flat=True), *answered.values_list("id", flat=True)]
    return table_page(request, ids, (), path=reverse("campaigns:questions", args=[campaign.slug]))


class QuestionsPage(CampaignContext, template="campaigns/questions/questions.html"):
    """`typed`: the question that was answered, and its answer; `longest`: in characters."""

    table: TablePage[int]
    open: list[Question]
    answered: list[Question]
    longest: int
    refused: Refusal | None
    typed: tuple[int, str]


@page_with_acts(organiser_page, act=_answer, back=lambda request, campaign: _table(request, campaign).here)
def questions(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    table = _table(request, campaign)
    found = services.with_names(campaign.questions.all()).in_bulk(table.rows)
    rows = [found[id] for id in table.rows]
    page = QuestionsPage(
        campaign=campaign,
        table=table,
        open=[row for row in rows if row.answered_at is None],
        answered=[row for row in rows if row.answered_at is not None],
        longest=services.LONGEST_QUESTION,
        refused=answer.refused,
        typed=(digits_or_zero(request.POST.get("question", "")), request.POST.get("answer", "")),
    )
    return render_page(request, page)
