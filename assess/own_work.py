"""An assessor's own page in a campaign: what they judged, how quickly, what is left, and how they agree."""

from __future__ import annotations

from datetime import date

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from assess.access import assessor_of, campaign_for
from campaigns.due_dates.work_left import DueWork, due_work
from campaigns.judging.notes import RequestedNote, requested_notes
from campaigns.judging.questions import mark_seen, with_names
from campaigns.log.activity import ActCounts, acts_by_each
from campaigns.models import Question
from campaigns.quality.agreement import agreement_with_others, own_repeats
from campaigns.templatetags.contexts import CampaignContext, render_page
from campaigns.topic_offers.offers import TopicStanding, offers, standings
from evaluation.resampling import Estimate

LATEST_DAYS = 14
MOST_QUESTIONS = 50


class OwnWorkPage(CampaignContext, template="assess/choose/own_work.html"):
    questions: list[Question]
    topics: list[TopicStanding]
    judged: int
    today: int
    days: list[tuple[date, int]]
    seconds: float | None
    left: int
    due: DueWork | None
    notes: list[RequestedNote]
    others: Estimate | None
    repeats: Estimate | None
    minutes_left: int | None


@require_safe
@never_cache
@login_required
def own_work(request: HttpRequest, slug: str) -> HttpResponse:
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    acts = acts_by_each(campaign=campaign).get(user.id, ActCounts())
    own = standings(user=user.id, campaigns=[campaign])
    offered = offers(own, seed="", choice=campaign.topic_choice)
    now, seconds = timezone.now(), acts.seconds_at(0.5)
    asked = with_names(campaign.questions.filter(assessor=user)).order_by("-answered_at", "-id")
    questions = list(asked[:MOST_QUESTIONS])
    shown = OwnWorkPage(
        campaign,
        questions,
        topics=[*offered.assigned, *offered.in_progress],
        judged=sum(topic.judged for topic in own),
        today=acts.days.get(now.date(), 0),
        days=sorted(acts.days.items(), reverse=True)[:LATEST_DAYS],
        seconds=seconds,
        left=offered.left,
        due=due_work(campaign=campaign, left=offered.left, now=now),
        notes=requested_notes(campaign=campaign, assessor=user.id),
        others=agreement_with_others(campaign=campaign, username=user.username),
        repeats=own_repeats(campaign=campaign, assessor=user.id),
        minutes_left=None if seconds is None else round(offered.left * seconds / 60),
    )
    page = render_page(request, shown)
    if request.method == "GET":
        mark_seen(questions)
    return page
