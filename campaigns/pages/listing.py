from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.models import Campaign, Membership
from campaigns.pages.access import signed_in
from campaigns.results.overview import with_counts


@require_safe
@login_required
def campaigns(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    mine = with_counts(Campaign.objects.organised_by(user))
    judged_in = Campaign.objects.filter(memberships__user=user, memberships__role=Membership.Role.ASSESSOR)
    return render(request, "campaigns/list.html", {"campaigns": list(mine), "judged_in": list(judged_in)})
