from django.urls import path

from assess import views

app_name = "assess"

urlpatterns = [
    path("", views.home, name="home"),
    path("<slug:slug>/", views.campaign, name="campaign"),
    # A topic's number is whatever the organiser's file says, slashes included.
    path("<slug:slug>/<path:number>/", views.topic, name="topic"),
]
