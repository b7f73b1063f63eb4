from django.urls import include, path

from campaigns.pages.home import choose, home
from campaigns.pages.sign_in import SignIn, SignOut, join
from campaigns.pages.tokens import tokens

urlpatterns = [
    path("", home, name="home"),
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-out/", SignOut.as_view(), name="sign-out"),
    path("join/<str:token>/", join, name="join"),
    path("tokens/", tokens, name="tokens"),
    path("language/", choose, name="language"),
    path("campaigns/", include("campaigns.pages.urls")),
    path("judge/", include("assess.urls")),
    path("api/v1/", include("campaigns.api.urls")),
]

handler400 = "config.refusals.bad_request"
handler403 = "config.refusals.not_allowed"
handler404 = "config.refusals.not_found"
handler500 = "config.refusals.server_error"
