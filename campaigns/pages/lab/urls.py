from django.urls import path

from campaigns.pages.lab import collections, jobs, watch

app_name = "lab"

urlpatterns = [
    path("", collections.home, name="home"),
    path("jobs/", jobs.running, name="jobs"),
    path("collections/<int:collection>/", collections.collection, name="collection"),
    path("new/", jobs.new, name="new"),
    path("jobs/<int:job>/", jobs.job, name="job"),
    path("jobs/<int:job>/progress/", jobs.progress, name="progress"),
    path("jobs/<int:job>/watch/", watch.watch, name="watch"),
    path("jobs/<int:job>/trajectories/<int:position>.json", watch.trajectory, name="trajectory"),
    path("compare/", jobs.compare, name="compare"),
]
