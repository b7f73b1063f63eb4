"""Signing in, so often and no more: passwords are not found by trying."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from campaigns.core.rate_limits import address_of, wait
from campaigns.pages.languages import keep_language

# Tries of one address in ten minutes: of one name, and of all, as people behind one gateway share theirs.
MOST_OF_A_NAME, MOST_OF_ALL, SPAN = 30, 600, 600
LONGEST_NAME = 150


class SignIn(LoginView):
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        left = _left(request)
        if not left:
            return super().post(request, *args, **kwargs)
        # The password is not even looked at: the answer is the same for a good one.
        context = {"too_many": True, "next": self.get_redirect_url()}
        response = render(request, self.get_template_names(), context, status=429)
        response.headers["Retry-After"] = str(left)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "no_accounts": not User.objects.exists()}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        keep_language(self.request, response, form.get_user())
        return response


def _left(request: HttpRequest) -> int:
    address = address_of(request)
    name = request.POST.get("username", "")[:LONGEST_NAME]
    return max(
        wait(what="sign-in", who=f"{address} {name}", most=MOST_OF_A_NAME, seconds=SPAN),
        wait(what="sign-in", who=address, most=MOST_OF_ALL, seconds=SPAN),
    )
