"""An assessor's page: grades, topics, agreement and the latest judgments."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns.configuration.scale import grade_labels
from campaigns.log.current import made_by_assessors
from campaigns.models import Campaign, Judgment, Membership
from campaigns.pages.access import organiser_page
from campaigns.pages.tables import TablePage, table_page
from campaigns.people.workload import Assessor, TopicWork, assessor_details, bars
from campaigns.quality.agreement import AssessorPair, SelfAgreement, agreement_with, self_agreement_of
from campaigns.quality.flag_sentences import flag_sentence
from campaigns.quality.flags import flags_of
from campaigns.templatetags.contexts import CampaignContext, render_page

LATEST_ACTS = 15


class AssessorPage(CampaignContext, template="campaigns/people/assessor.html"):
    person: User
    role: str
    found: Assessor
    table: TablePage[TopicWork]
    days: list[dict[str, Any]]
    pairs: list[AssessorPair]
    steady: SelfAgreement | None
    flags: list[str]
    latest: list[tuple[Judgment, str]]


@require_safe
@organiser_page
def assessor(request: HttpRequest, campaign: Campaign, username: str) -> HttpResponse:
    """A person with a role here, or who once judged here."""
    user = get_object_or_404(User, username=username)
    membership = Membership.objects.filter(campaign=campaign, user=user).first()
    acts = made_by_assessors(Judgment.objects.filter(campaign=campaign, assessor=user))
    if membership is None and not acts.exists():
        get_object_or_404(Membership, campaign=campaign, user=user)
    found = assessor_details(campaign=campaign, user=user)
    labels = grade_labels(campaign.grades)
    # From their last act on, so that nothing is looked through that came after.
    acts = acts.filter(sequence__lte=found.work.last_place)
    latest = (
        acts.select_related("document", "topic")
        .defer("document__body", "document__html")
        .order_by("-sequence")[:LATEST_ACTS]
    )
    page = AssessorPage(
        campaign,
        user,
        membership.role if membership else "",
        found,
        table_page(request, found.topics, ()),
        bars(found.days),
        agreement_with(campaign=campaign, username=username),
        next(iter(self_agreement_of(campaign=campaign, assessor=user.id)), None),
        [flag_sentence(flag) for flag in flags_of(campaign=campaign, assessor=user.id)],
        [(act, labels.get(act.grade, "")) for act in latest],
    )
    return render_page(request, page)
