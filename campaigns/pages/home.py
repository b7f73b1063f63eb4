from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from campaigns.models import Campaign


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Organisers start at their campaigns, everybody else at their judging."""
    organises = Campaign.objects.organised_by(request.user).exists()
    judges = Campaign.objects.visible_to(request.user).exists()
    return redirect("campaigns:list" if organises or not judges else "assess:home")
