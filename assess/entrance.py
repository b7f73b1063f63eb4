"""What comes before a topic's judging screen, if anything does."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from campaigns.judging.admission import admission_of
from campaigns.models import Campaign, Topic
from campaigns.models.campaign import Status


def before_judging(
    request: HttpRequest, *, campaign: Campaign, topic: Topic, user: User, developing: bool = False
) -> HttpResponse | None:
    """Where the assessor goes instead: to the training, to the topic's wording, or to the reason why not."""
    found = admission_of(topic=topic.id, assessor=user.id)
    if found.closed or found.paused or not found.assigned:
        context = {"campaign": campaign, "topic": topic, "closed": found.closed, "paused": found.paused}
        return render(request, "assess/refused.html", context, status=409)
    if campaign.status != Status.OPEN:
        return None
    if not found.trained:
        return redirect("assess:training", slug=campaign.slug)
    if not found.developed and not developing:
        return redirect("assess:develop", slug=campaign.slug, number=topic.number)
    return None
