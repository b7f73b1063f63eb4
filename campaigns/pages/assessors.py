from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from campaigns.models import Campaign, Judgment, Membership
from campaigns.pages.access import organiser_page
from campaigns.people.workload import assessor_of, bars
from campaigns.quality.agreement import agreement_with, steadiness_of

LATEST = 15


@require_safe
@organiser_page
def assessor(request: HttpRequest, campaign: Campaign, username: str) -> HttpResponse:
    """Somebody with a role here, or who once judged here."""
    user = get_object_or_404(User, username=username)
    membership = Membership.objects.filter(campaign=campaign, user=user).first()
    acts = Judgment.objects.filter(campaign=campaign, assessor=user)
    if membership is None and not acts.exists():
        get_object_or_404(Membership, campaign=campaign, user=user)
    found = assessor_of(campaign=campaign, user=user)
    labels = {row["grade"]: row["label"] for row in campaign.grades} | {-2: gettext("junk")}
    # From their last act on, so that nothing is looked through that came after.
    acts = acts.filter(sequence__lte=found.work.last_place)
    latest = acts.select_related("document", "topic").defer("document__body").order_by("-sequence")[:LATEST]
    context = {
        "campaign": campaign,
        "person": user,
        "role": membership.role if membership else "",
        "found": found,
        "exact": None if found.work.exact is None else int(1000 * found.work.exact) / 10,
        "days": bars(found.days),
        "pairs": agreement_with(campaign=campaign, username=username),
        "steady": next((row for row in steadiness_of(campaign=campaign) if row.username == username), None),
        "latest": [(act, labels.get(act.grade, "")) for act in latest],
    }
    return render(request, "campaigns/assessor.html", context)
