from django.urls import path

from assess import own_work, screen, search, views
from campaigns.pages.help.views import offline_guide

app_name = "assess"

urlpatterns = [
    path("", views.home, name="home"),
    path("worker.js", screen.worker_script, name="worker"),
    # A full stop is in no slug, so that this is no campaign's address.
    path("guide.<slug:language>.html", offline_guide, name="guide"),
    path("<slug:slug>/", views.campaign, name="campaign"),
    # A topic's number is whatever the organiser's file says, slashes included; without one at the end,
    # these are no topic's.
    path("<slug:slug>/work", own_work.own_work, name="own-work"),
    path("<slug:slug>/draw", views.draw, name="draw"),
    path("<slug:slug>/training", views.training, name="training"),
    path("<slug:slug>/<path:number>/develop", views.develop, name="develop"),
    path("<slug:slug>/<path:number>/finish", views.finish, name="finish"),
    path("<slug:slug>/<path:number>/onward", views.onward, name="onward"),
    path("<slug:slug>/<path:number>/search", search.search, name="search"),
    path("<slug:slug>/<path:number>/", views.topic, name="topic"),
]
