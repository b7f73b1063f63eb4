"""The help: contents, pages, search, pictures and notebooks. It needs no sign-in and names no campaign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from campaigns.pages.help.handbook import (
    FOLDER,
    ORIGINAL,
    Page,
    Part,
    contents,
    find_file,
    find_page,
    in_language,
    translations,
)
from campaigns.pages.help.markdown import CONTENTS, pictures_of
from campaigns.pages.help.search import LONGEST_QUERY, Hit
from campaigns.pages.help.search import search as find
from campaigns.templatetags.contexts import PageContext, render_page

GUIDE = "assessor"


class HelpPage(PageContext, template="help/page.html"):
    fragments = ("help/search.html", "help/offline.html")
    page: Page | None
    query: str = ""
    hits: Sequence[Hit] = ()
    start: str = CONTENTS
    contents: Sequence[Part] = field(default_factory=contents)

    @property
    def languages(self) -> dict[str, str]:
        return translations(self.page) if self.page else {}


@require_safe
def first_page(request: HttpRequest) -> HttpResponse:
    return render_page(request, HelpPage(_page_or_404(CONTENTS)))


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    return render_page(request, HelpPage(_page_or_404(name if name != CONTENTS else "")))


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_QUERY]
    return render_page(request, HelpPage(None, query, find(query)), template="help/search.html")


@require_safe
@cache_control(max_age=3600)
def file(request: HttpRequest, name: str) -> HttpResponse:
    found = find_file(name)
    if found is None:
        raise Http404
    return HttpResponse(found[0], content_type=found[1])


@require_safe
def offline_guide(request: HttpRequest, language: str) -> HttpResponse:
    """The assessor's guide below /judge/, where the service worker answers without a network.

    The page names no account: one copy serves all who use this browser.
    """
    name = GUIDE if language == ORIGINAL else f"{language}/{GUIDE}"
    with translation.override(language):
        return render_page(request, HelpPage(_page_or_404(name)), template="help/offline.html")


def offline_files() -> tuple[list[str], list[Path]]:
    """Files of the guide for offline use: the addresses to store, and the files whose change makes them
    old."""
    home = reverse("help:file", args=["x"])[:-1]
    addresses, files = list[str](), list[Path]()
    for language, name in translations(_page_or_404(GUIDE)).items():
        addresses.append(reverse("assess:guide", args=[language]))
        files.append(FOLDER / f"{name}.md")
        for address in pictures_of(_page_or_404(name).html):
            file = FOLDER / address.removeprefix(home)
            # The worker stores all files or none: a picture that is missing must not cost the judging screen.
            if address not in addresses and file.is_file():
                addresses.append(address)
                files.append(file)
    return addresses, files


def guide_address() -> str:
    """The offline guide in the reader's language."""
    name = in_language(GUIDE, translation.get_language() or ORIGINAL)
    return reverse("assess:guide", args=[ORIGINAL if name == GUIDE else name.partition("/")[0]])


def _page_or_404(name: str) -> Page:
    found = find_page(name)
    if found is None:
        raise Http404
    return found
