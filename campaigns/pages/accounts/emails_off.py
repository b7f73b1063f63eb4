"""Target of the link in an email to an assessor: switches such emails off, without signing in."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from campaigns.notifications.assessor_emails import read_switch_off, switch
from campaigns.templatetags.contexts import PageContext, render_page


class EmailsOffPage(PageContext, template="registration/emails_off.html"):
    valid: bool
    done: bool


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def emails_off(request: HttpRequest, token: str) -> HttpResponse:
    """Reading changes nothing, as mail programs look at links ahead. A POST switches off, also one by a mail
    program itself (RFC 8058), which has no cookie: the token is all it takes. The page names no person."""
    person = read_switch_off(token)
    if person is not None and request.method == "POST":
        switch(user=person, on=False)
    page = EmailsOffPage(valid=person is not None, done=request.method == "POST")
    return render_page(request, page, status=200 if page.valid else 404)
