from django.urls import path

from campaigns.pages import dashboard, exports, listing, people, settings, setup, topics

app_name = "campaigns"

urlpatterns = [
    path("", listing.campaigns, name="list"),
    path("new/", settings.new, name="new"),
    path("<slug:slug>/", dashboard.dashboard, name="dashboard"),
    path("<slug:slug>/progress/", dashboard.progress, name="progress"),
    path("<slug:slug>/setup/", setup.setup, name="setup"),
    path("<slug:slug>/setup/<slug:part>/", setup.part, name="setup-part"),
    path("<slug:slug>/move/", setup.move, name="move"),
    path("<slug:slug>/runs/<int:run>/remove/", setup.remove_run, name="remove-run"),
    path("<slug:slug>/settings/", settings.change, name="settings"),
    path("<slug:slug>/topics/", topics.topics, name="topics"),
    path("<slug:slug>/people/", people.people, name="people"),
    path("<slug:slug>/exports/", exports.exports, name="exports"),
    path("<slug:slug>/exports/qrels/", exports.qrels, name="qrels"),
]
