from django.urls import path

from campaigns.pages import (
    assigning,
    bundles,
    collection,
    dashboard,
    exports,
    history,
    listing,
    people,
    settings,
    setup,
    topics,
    training,
    why,
)

app_name = "campaigns"

urlpatterns = [
    path("", listing.campaigns, name="list"),
    path("new/", settings.new, name="new"),
    path("new/bundle/", bundles.upload, name="new-from-bundle"),
    path("<slug:slug>/", dashboard.dashboard, name="dashboard"),
    path("<slug:slug>/progress/", dashboard.progress, name="progress"),
    path("<slug:slug>/stop/", dashboard.stop, name="stop"),
    path("<slug:slug>/setup/", setup.setup, name="setup"),
    path("<slug:slug>/source/", collection.source, name="source"),
    path("<slug:slug>/setup/<slug:part>/", setup.part, name="setup-part"),
    path("<slug:slug>/move/", setup.move, name="move"),
    path("<slug:slug>/runs/<int:run>/remove/", setup.remove_run, name="remove-run"),
    path("<slug:slug>/settings/", settings.change, name="settings"),
    path("<slug:slug>/training/", training.training, name="training"),
    path("<slug:slug>/assign/", assigning.act, name="assign"),
    path("<slug:slug>/topics/", topics.topics, name="topics"),
    # A topic's number is whatever the organiser's file says, slashes included; a docno is a parameter.
    path("<slug:slug>/topics/<path:number>/why/", why.document, name="why"),
    path("<slug:slug>/topics/<path:number>/", topics.topic, name="topic"),
    path("<slug:slug>/people/", people.people, name="people"),
    path("<slug:slug>/history/", history.history, name="history"),
    path("<slug:slug>/history/<slug:form>/", history.export, name="history-export"),
    path("<slug:slug>/exports/", exports.exports, name="exports"),
    path("<slug:slug>/exports/bundle/", exports.bundle, name="bundle"),
    path("<slug:slug>/exports/<slug:what>/", exports.export, name="export"),
]
