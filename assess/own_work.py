"""An assessor's own page in a campaign: what they judged, how quickly, what is left, and how they agree."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from assess.access import assessor_of, campaign_for
from assess.topics import offers, standings
from campaigns.due_dates.work_left import due_work
from campaigns.judging.annotations import requested_notes
from campaigns.judging.questions import mark_seen, with_names
from campaigns.log.activity import ActCounts, acts_by_each
from campaigns.quality.agreement import agreement_with_others, own_repeats

LATEST_DAYS = 14
MOST_QUESTIONS = 50


@require_safe
@never_cache
@login_required
def own_work(request: HttpRequest, slug: str) -> HttpResponse:
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    acts = acts_by_each(campaign=campaign).get(user.id, ActCounts())
    own = standings(user=user.id, campaigns=[campaign])
    offered = offers(own, seed="", choice=campaign.topic_choice)
    topics = [*offered.assigned, *offered.in_progress]
    left, now = offered.left, timezone.now()
    seconds = acts.seconds_at(0.5)
    asked = with_names(campaign.questions.filter(assessor=user)).order_by("-answered_at", "-id")
    questions = list(asked[:MOST_QUESTIONS])
    context: dict[str, Any] = {
        "campaign": campaign,
        "today": acts.days.get(now.date(), 0),
        "days": sorted(acts.days.items(), reverse=True)[:LATEST_DAYS],
        "judged": sum(topic.judged for topic in own),
        "seconds": seconds,
        "left": left,
        "due": due_work(campaign=campaign, left=left, now=now),
        "can_be_emailed": bool(user.email),
        "minutes_left": None if seconds is None else round(left * seconds / 60),
        "topics": topics,
        "questions": questions,
        "notes": requested_notes(campaign=campaign, assessor=user.id),
        "others": agreement_with_others(campaign=campaign, username=user.username),
        "repeats": own_repeats(campaign=campaign, assessor=user.id),
    }
    page = render(request, "assess/choose/own_work.html", context)
    if request.method == "GET":
        mark_seen(questions)
    return page
