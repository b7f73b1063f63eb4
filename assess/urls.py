from django.urls import path

from assess import development, offline, training, views

app_name = "assess"

urlpatterns = [
    path("", views.home, name="home"),
    path("worker.js", offline.worker, name="worker"),
    path("<slug:slug>/", views.campaign, name="campaign"),
    # A topic's number is whatever the organiser's file says, slashes included; without one at the end, these
    # two are nobody's topic.
    path("<slug:slug>/training", training.training, name="training"),
    path("<slug:slug>/<path:number>/develop", development.develop, name="develop"),
    path("<slug:slug>/<path:number>/", views.topic, name="topic"),
]
