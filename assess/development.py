from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from assess.access import assessor_of, campaign_for, topic_for
from assess.entrance import before_judging
from campaigns.core.errors import Refused
from campaigns.judging.topic_revisions import LONGEST, Outdated, revise


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def develop(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """The bare query, and room to write out what is wanted, before the first document."""
    user = assessor_of(request)
    campaign = campaign_for(user, slug)
    topic = topic_for(campaign, number)
    instead = before_judging(request, campaign=campaign, topic=topic, user=user, developing=True)
    if instead is not None:
        return instead
    words: dict[str, Any] = {
        "description": topic.description,
        "narrative": topic.narrative,
        "based_on": topic.revision,
    }
    context: dict[str, Any] = {"campaign": campaign, "topic": topic, "longest": LONGEST}
    status = 200
    if request.method == "POST":
        words = {name: request.POST.get(name, "").replace("\0", "") for name in ("description", "narrative")}
        words["based_on"] = _number(request.POST.get("based_on", ""))
        try:
            revise(campaign=campaign, topic=topic, author=user, **words)
        except Refused as refused:
            context["refused"], status = refused, refused.status
            if isinstance(refused, Outdated):
                # Saving once more, with the newer words in sight, is a decision.
                context["newer"], words["based_on"] = refused.current, refused.current.revision
        else:
            return redirect("assess:topic", slug=campaign.slug, number=topic.number)
    return render(request, "assess/develop.html", {**context, **words}, status=status)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
