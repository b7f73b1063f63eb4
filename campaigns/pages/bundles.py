from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from campaigns.core.errors import Refused
from campaigns.exchange.bundles.importing import import_bundle
from campaigns.exchange.bundles.reading import open_bundle
from campaigns.formats.errors import FormatError
from campaigns.pages.access import signed_in


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def upload(request: HttpRequest) -> HttpResponse:
    """A campaign out of a bundle, organised by whoever sends it."""
    user, wrong = signed_in(request), ""
    file, slug = request.FILES.get("file"), request.POST.get("slug", "").strip()
    if request.method == "POST" and file is None:
        wrong = gettext("Choose the bundle: a file whose name ends in .bundle.zip.")
    elif file is not None:
        name = file.name or "bundle"
        try:
            bundle = open_bundle(file.file, name, max_bytes=settings.MAX_UNPACKED_BYTES)  # type: ignore[arg-type]
            campaign = import_bundle(bundle=bundle, slug=slug, organiser=user)
        except FormatError as error:
            wrong = str(error)
        except Refused as refused:
            wrong = refused.detail
        else:
            messages.success(request, gettext("The campaign is here, as the bundle has it."))
            return redirect("campaigns:dashboard", slug=campaign.slug)
    context = {"wrong": wrong, "slug": slug}
    return render(request, "campaigns/bundle.html", context, status=400 if wrong else 200)
