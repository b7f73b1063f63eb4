from django.urls import path

from campaigns.pages.help import views

app_name = "help"

urlpatterns = [
    path("", views.first_page, name="contents"),
    path("search/", views.search, name="search"),
    path("files/<path:name>", views.file, name="file"),
    path("<path:name>/", views.page, name="page"),
]
