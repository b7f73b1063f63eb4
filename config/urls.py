from django.contrib.auth.views import PasswordResetDoneView
from django.urls import include, path

from campaigns.pages.accounts.account import ChangePassword, account, emails_off
from campaigns.pages.accounts.administration import administration, remove_person
from campaigns.pages.accounts.all_accounts import accounts
from campaigns.pages.accounts.openid import StartOpenId, return_from_provider
from campaigns.pages.accounts.reset import AskReset, ChooseNew, open_reset
from campaigns.pages.accounts.second_factor import second_factor
from campaigns.pages.accounts.sign_in import SignIn, SignOut, enter_code, join, join_by_path
from campaigns.pages.accounts.tokens import tokens
from campaigns.pages.home import choose, home

urlpatterns = [
    path("", home, name="home"),
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-in/code/", enter_code, name="sign-in-code"),
    path("sign-in/openid/", StartOpenId.as_view(), name="openid"),
    path("sign-in/openid/back/", return_from_provider, name="openid-callback"),
    path("sign-out/", SignOut.as_view(), name="sign-out"),
    path("join/", join, name="join"),
    path("join/<str:token>/", join_by_path, name="join-by-path"),
    path("account/", account, name="account"),
    path("account/password/", ChangePassword.as_view(), name="change-password"),
    path("account/second-factor/", second_factor, name="second-factor"),
    path("accounts/", accounts, name="accounts"),
    path("emails-off/<str:token>/", emails_off, name="emails-off"),
    path("reset/", AskReset.as_view(), name="reset"),
    path(
        "reset/sent/",
        PasswordResetDoneView.as_view(template_name="registration/reset_sent.html"),
        name="reset-sent",
    ),
    path("reset/open/", open_reset, name="reset-open"),
    path("reset/choose/<str:uidb64>/", ChooseNew.as_view(), name="reset-choose"),
    path("tokens/", tokens, name="tokens"),
    path("administration/", administration, name="administration"),
    path("administration/people/<int:person>/delete/", remove_person, name="remove-person"),
    path("language/", choose, name="language"),
    path("campaigns/", include("campaigns.pages.urls")),
    path("help/", include("campaigns.pages.help.urls")),
    path("lab/", include("campaigns.pages.lab.urls")),
    path("judge/", include("assess.urls")),
    path("api/v1/", include("campaigns.api.urls")),
]

handler400 = "config.web.refusals.bad_request"
handler403 = "config.web.refusals.not_allowed"
handler404 = "config.web.refusals.not_found"
handler500 = "config.web.refusals.server_error"
