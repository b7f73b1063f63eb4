from django.urls import path

from campaigns.api import (
    ahead,
    campaigns,
    collection,
    description,
    documents,
    judging,
    people,
    priorities,
    publishing,
    reading,
    streams,
    topics,
    training,
    uploads,
)

app_name = "api"

one = "campaigns/<slug:slug>/"

urlpatterns = [
    path("schema/", description.SchemaView.as_view(), name="schema"),
    path("docs/", description.DocsView.as_view(), name="docs"),
    path("campaigns/", campaigns.CampaignsView.as_view(), name="campaigns"),
    path(one, campaigns.CampaignDetailView.as_view(), name="campaign"),
    path(f"{one}open/", campaigns.OpenView.as_view(), name="open"),
    path(f"{one}pause/", campaigns.PauseView.as_view(), name="pause"),
    path(f"{one}close/", campaigns.CloseView.as_view(), name="close"),
    path(f"{one}collection/", collection.CollectionView.as_view(), name="collection"),
    # A docno may hold anything but blanks.
    path(f"{one}documents/<path:docno>/content/", documents.ContentView.as_view(), name="content"),
    path(f"{one}documents/<path:docno>/", documents.DocumentView.as_view(), name="document"),
    path(f"{one}topics/", uploads.TopicsUploadView.as_view(), name="topics"),
    # A topic's number is whatever the organiser's file says, slashes included.
    path(f"{one}topics/<path:number>/revisions/", topics.RevisionsView.as_view(), name="revisions"),
    path(f"{one}topics/<path:number>/assignments/", topics.AssignmentsView.as_view(), name="assignments"),
    path(f"{one}topics/<path:number>/close/", topics.CloseTopicView.as_view(), name="close-topic"),
    path(f"{one}topics/<path:number>/reopen/", topics.ReopenTopicView.as_view(), name="reopen-topic"),
    path(f"{one}topics/<path:number>/", topics.TopicView.as_view(), name="topic"),
    path(f"{one}deal/", topics.DealView.as_view(), name="deal"),
    path(f"{one}training/", training.TrainingView.as_view(), name="training"),
    path(f"{one}training/items/", training.TrainingItemsView.as_view(), name="training-items"),
    path(f"{one}training/items/<int:item>/", training.TrainingItemView.as_view(), name="training-item"),
    path(f"{one}training/standing/", training.TrainingStandingView.as_view(), name="training-standing"),
    path(f"{one}invitations/", people.InvitationsView.as_view(), name="invitations"),
    path(f"{one}invitations/<int:invitation>/", people.InvitationView.as_view(), name="invitation"),
    path(f"{one}members/", people.MembersView.as_view(), name="members"),
    path(f"{one}runs/", uploads.RunsUploadView.as_view(), name="runs"),
    path(f"{one}qrels/", uploads.QrelsReadOrLoadView.as_view(), name="qrels"),
    path(f"{one}prels/", publishing.PrelsView.as_view(), name="prels"),
    path(f"{one}bundle/", publishing.BundleView.as_view(), name="bundle"),
    path(f"{one}next/", judging.NextView.as_view(), name="next"),
    path(f"{one}ahead/", ahead.AheadView.as_view(), name="ahead"),
    path(f"{one}judgments/", judging.JudgmentsView.as_view(), name="judgments"),
    path(f"{one}later/", judging.LaterView.as_view(), name="later"),
    path(f"{one}claims/", judging.ClaimsView.as_view(), name="claims"),
    path(f"{one}intervals/", reading.IntervalsView.as_view(), name="intervals"),
    path(f"{one}pairs/", publishing.PairsView.as_view(), name="pairs"),
    path(f"{one}priorities/", priorities.PrioritiesView.as_view(), name="priorities"),
    path(f"{one}status/", reading.StatusView.as_view(), name="status"),
    path(f"{one}events/", streams.events, name="events"),
]
