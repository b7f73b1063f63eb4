from django.urls import path

from assess import screen, views

app_name = "assess"

urlpatterns = [
    path("", views.home, name="home"),
    path("worker.js", screen.worker_script, name="worker"),
    path("<slug:slug>/", views.campaign, name="campaign"),
    # A topic's number is whatever the organiser's file says, slashes included; without one at the end, these
    # are nobody's topic.
    path("<slug:slug>/training", views.training, name="training"),
    path("<slug:slug>/<path:number>/develop", views.develop, name="develop"),
    path("<slug:slug>/<path:number>/finish", views.finish, name="finish"),
    path("<slug:slug>/<path:number>/", views.topic, name="topic"),
]
