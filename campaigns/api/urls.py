from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from campaigns.api import campaigns, judging, reading, streams, uploads

app_name = "api"

one = "campaigns/<slug:slug>/"

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api:schema"), name="docs"),
    path("campaigns/", campaigns.CampaignsView.as_view(), name="campaigns"),
    path(one, campaigns.CampaignDetailView.as_view(), name="campaign"),
    path(f"{one}open/", campaigns.OpenView.as_view(), name="open"),
    path(f"{one}pause/", campaigns.PauseView.as_view(), name="pause"),
    path(f"{one}close/", campaigns.CloseView.as_view(), name="close"),
    path(f"{one}collection/", uploads.CollectionUploadView.as_view(), name="collection"),
    path(f"{one}topics/", uploads.TopicsUploadView.as_view(), name="topics"),
    path(f"{one}runs/", uploads.RunsUploadView.as_view(), name="runs"),
    path(f"{one}qrels/", uploads.QrelsReadOrLoadView.as_view(), name="qrels"),
    path(f"{one}next/", judging.NextView.as_view(), name="next"),
    path(f"{one}judgments/", judging.JudgmentsView.as_view(), name="judgments"),
    path(f"{one}later/", judging.LaterView.as_view(), name="later"),
    path(f"{one}claims/", judging.ClaimsView.as_view(), name="claims"),
    path(f"{one}intervals/", reading.IntervalsView.as_view(), name="intervals"),
    path(f"{one}status/", reading.StatusView.as_view(), name="status"),
    path(f"{one}events/", streams.events, name="events"),
]
