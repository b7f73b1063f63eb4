from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from campaigns.models import Event
from config.urls import urlpatterns as site_patterns


@login_required
def bare_insert(request: HttpRequest) -> HttpResponse:
    """What any Django view pays that stores one row for a signed-in person."""
    campaign = int(request.POST.get("campaign") or request.GET["campaign"])
    event = Event.objects.create(campaign_id=campaign, kind="bare", data={"n": 1})
    return JsonResponse({"id": event.id}, status=201)


urlpatterns = [*site_patterns, path("bare/", bare_insert)]
