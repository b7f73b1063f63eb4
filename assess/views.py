from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from assess.access import assessor_of, campaign_for, topic_for
from assess.offers import offers
from assess.screen import grades, screen_data
from assess.standing import standings
from campaigns.models import Campaign


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    user = assessor_of(request)
    campaigns = list(Campaign.objects.visible_to(user))
    topics = standings(user=user.id, campaigns=campaigns)
    cards = []
    for campaign in campaigns:
        own = [topic for topic in topics if topic.campaign_id == campaign.id]
        begun = [topic for topic in own if topic.begun]
        cards.append(
            {
                "campaign": campaign,
                "topics": len(own),
                "in_progress": [topic for topic in begun if not topic.finished],
                "finished": sum(topic.finished for topic in begun),
                "judged": sum(topic.judged for topic in own),
            }
        )
    organises = Campaign.objects.organised_by(user).exists()
    return render(request, "assess/home.html", {"cards": cards, "organises": organises})


@require_safe
@login_required
def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    topics = standings(user=user.id, campaigns=[campaign])
    seed = f"{campaign.seed}:{user.id}"
    context = {"campaign": campaign, "offers": offers(topics, seed=seed), "topics": len(topics)}
    return render(request, "assess/campaign.html", context)


@require_safe
@never_cache
@ensure_csrf_cookie
@login_required
def topic(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    topic = topic_for(campaign, number)
    data = screen_data(campaign=campaign, topic=topic, assessor=user.id)
    context = {"campaign": campaign, "topic": topic, "grades": grades(campaign), "data": data}
    return render(request, "assess/judge.html", context)
