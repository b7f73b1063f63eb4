"""Signing in by an identity provider: the way there, and the way back (OpenID Connect, code flow with PKCE).

django-allauth keeps the state between the two in the session, and exchanges the code. It takes the ID token
of such an exchange unverified and sends no nonce, as the standard allows; here both are checked.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from typing import Any

import requests
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.base.constants import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib.auth.views import RedirectURLMixin
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.core.errors import Refusal
from campaigns.core.rate_limits import address_of, network_of
from campaigns.pages.access import LimitedPage, too_many_attempts
from campaigns.pages.accounts.sign_in import complete_sign_in
from campaigns.people import sign_in_attempts
from campaigns.people.identities import account_of
from campaigns.templatetags.contexts import render_page

logger = logging.getLogger(__name__)

# Ways to the provider from one network in ten minutes; people behind one gateway share theirs.
MOST_STARTS, START_SPAN = 600, 600
# Nothing that is signed by a secret that both know, nor by none.
SIGNATURES = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
NEEDED_CLAIMS = ["iss", "sub", "aud", "exp", "iat"]
CLOCK_SECONDS = 60
LONGEST_SUBJECT = 191
LONGEST_LOGGED = 200


class RefusedSignIn(LimitedPage, template="registration/openid_refused.html"):
    refused: Refusal | None = None


class SiteAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    def get_provider(self) -> OpenIDConnectProvider:
        return SiteProvider(self.request, app=_site_app())

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return request.build_absolute_uri(reverse("openid-callback"))

    @property
    def openid_config(self) -> dict[str, Any]:
        config: dict[str, Any] = super().openid_config
        if str(config["issuer"]).rstrip("/") != settings.OPENID["issuer"]:
            raise OAuth2Error("the provider’s configuration names another issuer")
        return config

    def complete_login(self, request: HttpRequest, app: SocialApp, token: Any, **rest: Any) -> Any:
        claims = self._verified(rest["response"].get("id_token") or "")
        if "email" not in claims:
            said = self._fetch_user_info(token.token)
            if said.get("sub") != claims["sub"]:
                raise OAuth2Error("userinfo is of another subject")
            claims = {**said, **claims}
        login = self.get_provider().sociallogin_from_response(request, {"id_token": {"sub": claims["sub"]}})
        # Of the account and its address, this site decides by itself.
        login.account.extra_data = {}
        login.claims = claims
        return login

    def _verified(self, id_token: str) -> dict[str, Any]:
        # Imported when a first token comes: it costs memory, and most sites have no provider.
        import jwt

        try:
            method, key = jwtkit.fetch_key(id_token, self.openid_config["jwks_uri"], jwtkit.lookup_kid_jwk)
            if method not in SIGNATURES:
                raise OAuth2Error("the ID token is signed by a method that is not taken")
            claims: dict[str, Any] = jwt.decode(
                id_token,
                key,
                algorithms=[method],
                audience=settings.OPENID["client_id"],
                issuer=self.openid_config["issuer"],
                leeway=CLOCK_SECONDS,
                options={"require": NEEDED_CLAIMS},
            )
        except jwt.PyJWTError as error:
            raise OAuth2Error(f"the ID token is not valid: {error}") from error
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or "\0" in subject:
            raise OAuth2Error("the ID token’s subject is not one")
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if several and claims.get("azp") != settings.OPENID["client_id"]:
            raise OAuth2Error("the ID token is for several, and made for another one")
        return claims


class SiteProvider(OpenIDConnectProvider):  # type: ignore[misc]
    oauth2_adapter_class = SiteAdapter


class AccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Adapter that leads to this site's pages where django-allauth would show its own."""

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        wanted = (sociallogin.state.get("data") or {}).get("nonce", "")
        if not wanted or not constant_time_compare(str(sociallogin.claims.get("nonce", "")), wanted):
            raise ImmediateHttpResponse(_refused(request, _failed(), "the nonce is not the session’s"))
        try:
            user = account_of(issuer=settings.OPENID["issuer"], claims=sociallogin.claims)
        except Refusal as refusal:
            raise ImmediateHttpResponse(_refused(request, refusal, refusal.code)) from refusal
        next_page = sociallogin.get_redirect_url(request) or ""
        raise ImmediateHttpResponse(complete_sign_in(request, user, next_page))

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, **rest: Any
    ) -> None:
        if error == AuthError.CANCELLED:
            refusal = Refusal("cancelled", gettext("you did not sign in at the provider"), status=403)
        elif isinstance(exception, requests.RequestException):
            refusal = _away()
        else:
            refusal = _failed()
        raise ImmediateHttpResponse(_refused(request, refusal, str(exception or error)))


@method_decorator(never_cache, name="dispatch")
class StartOpenId(RedirectURLMixin, View):
    """To the provider. By GET: the policy lets no form lead to another site, and nothing is changed yet."""

    http_method_names = ["get", "options"]

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.OPENID:
            raise Http404
        if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            # A link elsewhere signs no one in without a click here.
            return redirect("sign-in")
        left = sign_in_attempts.wait(
            what="openid", who=network_of(request), most=MOST_STARTS, seconds=START_SPAN
        )
        if left:
            return too_many_attempts(request, RefusedSignIn(), left)
        nonce = secrets.token_urlsafe(32)
        provider = SiteProvider(request, app=_site_app())
        try:
            answer: HttpResponseBase = provider.redirect(
                request,
                process=AuthProcess.LOGIN,
                next_url=self.get_redirect_url(),
                data={"nonce": nonce},
                auth_params={"nonce": nonce},
            )
        except (requests.RequestException, OAuth2Error, KeyError, TypeError) as error:
            return _refused(request, _away(), str(error))
        return answer


@require_safe
@never_cache
def return_from_provider(request: HttpRequest) -> HttpResponseBase:
    if not settings.OPENID:
        raise Http404
    view = OAuth2CallbackView.adapter_view(SiteAdapter(request, settings.OPENID["issuer"]))
    try:
        answer: HttpResponseBase = view(request)
    except requests.RequestException as error:
        return _refused(request, _away(), str(error))
    except OAuth2Error as error:
        return _refused(request, _failed(), str(error))
    except (KeyError, TypeError, ValueError) as error:
        # The provider answered something that is not as the standard says.
        logger.warning("an answer of the provider was not understood", exc_info=True)
        return _refused(request, _failed(), repr(error))
    return answer


def _site_app() -> SocialApp:
    """OpenID application from the settings; the table of such rows stays empty."""
    known: Mapping[str, str] = settings.OPENID
    return SocialApp(
        provider="openid_connect",
        # Subjects are unique within their issuer only.
        provider_id=known["issuer"],
        name=known["name"],
        client_id=known["client_id"],
        secret=known["client_secret"],
        settings={"server_url": known["issuer"], "oauth_pkce_enabled": True},
    )


def _failed() -> Refusal:
    return Refusal("failed", gettext("signing in at the provider failed: please try again"), status=403)


def _away() -> Refusal:
    return Refusal("away", gettext("the provider does not answer: please try again later"), status=503)


def _refused(request: HttpRequest, refusal: Refusal, reason: str) -> HttpResponse:
    where = ascii(address_of(request))
    logger.warning("sign-in by the provider failed from %s: %s", where, ascii(reason[:LONGEST_LOGGED]))
    return render_page(request, RefusedSignIn(refused=refusal))
