from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from assess import offline
from assess.access import assessor_of, campaign_for, campaigns_for, topic_for
from assess.entrance import before_judging
from assess.offers import offers
from assess.order import turns
from assess.screen import grades, screen_data
from assess.topics import standings
from campaigns.judging.admission import untrained
from campaigns.models import Campaign
from campaigns.models.campaign import Status
from campaigns.models.judgment import LEAST_TRAINING


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    user = assessor_of(request)
    campaigns = list(campaigns_for(user))
    topics = standings(user=user.id, campaigns=campaigns)
    to_train = untrained(campaigns=campaigns, assessor=user.id)
    cards = []
    for campaign in campaigns:
        own = [topic for topic in topics if topic.campaign_id == campaign.id]
        offered = offers(own, seed="", choice=campaign.topic_choice)
        cards.append(
            {
                "campaign": campaign,
                "topics": len(own),
                "train": campaign.id in to_train,
                "assigned": offered.assigned,
                "in_progress": offered.in_progress,
                "finished": len(offered.finished),
                "judged": sum(topic.judged for topic in own),
            }
        )
    # What waits for them first; what nobody may judge in now, last.
    cards.sort(key=_place)
    organises = Campaign.objects.organised_by(user).exists()
    return render(request, "assess/home.html", {"cards": cards, "organises": organises})


def _place(card: dict[str, Any]) -> tuple[bool, bool]:
    open_here = card["campaign"].status == Status.OPEN and not card["campaign"].paused_here
    return not open_here, not (card["assigned"] or card["in_progress"])


@require_safe
@login_required
def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    topics = standings(user=user.id, campaigns=[campaign])
    seed = f"{campaign.seed}:{user.id}"
    context = {
        "campaign": campaign,
        "offers": offers(topics, seed=seed, choice=campaign.topic_choice, turns=turns(campaign)),
        "topics": len(topics),
        "train": bool(untrained(campaigns=[campaign], assessor=user.id)),
        "can_train": campaign.training_items.count() >= LEAST_TRAINING,
    }
    return render(request, "assess/campaign.html", context)


@require_safe
@never_cache
@ensure_csrf_cookie
@login_required
def topic(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    topic = topic_for(campaign, number)
    instead = before_judging(request, campaign=campaign, topic=topic, user=user)
    if instead is not None:
        return instead
    data = screen_data(campaign=campaign, topic=topic, assessor=user.id)
    context = {"campaign": campaign, "topic": topic, "grades": grades(campaign), "data": data}
    response = render(request, "assess/judge.html", context)
    offline.mark(response, user)
    return response
