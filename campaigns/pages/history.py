"""The history page, filtered, and the history as a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.formats.tables import csv_lines, json_lines
from campaigns.log.audit import note
from campaigns.log.timeline import (
    HISTORY_KINDS,
    HistoryFilter,
    HistoryPlace,
    all_lines,
    page_of,
    people_in,
)
from campaigns.models import Campaign
from campaigns.pages.access import organiser_page
from campaigns.pages.history_text import sentence_of
from campaigns.pages.history_text.groups import HistoryGroup, grouped_lines
from campaigns.pages.history_text.sentences import CampaignLinks
from campaigns.templatetags.contexts import CampaignContext, render_page

SIZE = 100
LONGEST_FILTER = 200
FILTERS = ("person", "kind", "topic", "day", "words")

KIND_NAMES = {
    "judgments": gettext_lazy("all judgments"),
    "judged": gettext_lazy("first judgments"),
    "revised": gettext_lazy("judgments of the same document again"),
    "undone": gettext_lazy("undone judgments"),
    "not judged": gettext_lazy("documents that could not be judged"),
    "campaign": gettext_lazy("opening, pausing, closing"),
    "settings": gettext_lazy("settings"),
    "files": gettext_lazy("files loaded"),
    "runs": gettext_lazy("runs"),
    "people": gettext_lazy("people and roles"),
    "topics": gettext_lazy("topics and assignments"),
    "training": gettext_lazy("training"),
    "questions": gettext_lazy("questions"),
    "teams": gettext_lazy("teams and their runs"),
    "repeats": gettext_lazy("documents shown once more"),
    "exports": gettext_lazy("downloads"),
    "engines": gettext_lazy("search engines"),
    "webhooks": gettext_lazy("webhooks"),
}
KINDS = tuple((kind, KIND_NAMES.get(kind, kind)) for kind in HISTORY_KINDS)


class HistoryPage(CampaignContext, template="campaigns/history.html"):
    """`asked`, `begin` and `further`: queries of the filter alone, of its first page and of the next one."""

    people: list[str]
    refused: Refusal | None = None
    groups: Sequence[HistoryGroup] = ()
    filtered: bool = False
    asked: str = ""
    begin: str = ""
    further: str = ""
    at_begin: bool = False
    oldest_first: bool = False
    kinds: Sequence[tuple[str, str | Promise]] = KINDS


@require_safe
@organiser_page
def history(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    people, typed = people_in(campaign=campaign), request.GET
    oldest_first = typed.get("sort") == "oldest"
    try:
        wanted = _wanted(request)
        lines, edge = page_of(
            campaign=campaign, wanted=wanted, beyond=_beyond(request), oldest_first=oldest_first, size=SIZE
        )
    except Refusal as refused:
        return render_page(request, HistoryPage(campaign, people, refused))
    asked = {name: typed[name] for name in FILTERS if typed.get(name)}
    begin = {**asked, "sort": "oldest"} if oldest_first else asked
    page = HistoryPage(
        campaign,
        people,
        groups=grouped_lines(lines, CampaignLinks(campaign.slug)),
        filtered=bool(wanted),
        asked=urlencode(asked),
        begin=urlencode(begin),
        further=urlencode({**begin, "beyond": f"{edge.after}.{edge.deed}"}) if edge else "",
        at_begin="beyond" not in typed,
        oldest_first=oldest_first,
    )
    return render_page(request, page)


@require_safe
@organiser_page
def export(request: HttpRequest, campaign: Campaign, form: str) -> HttpResponseBase:
    """The filtered history as a file, the oldest line first."""
    if form not in _FORMS:
        raise Http404
    try:
        wanted = _wanted(request)
    except Refusal as refused:
        return HttpResponse(refused.detail, status=refused.status, content_type="text/plain; charset=utf-8")
    name = f"{campaign.slug}.history.{form}"
    note(campaign=campaign, kind="exported", file=name)
    kind, lines = _FORMS[form]
    response = StreamingHttpResponse(lines(campaign, wanted), content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _csv(campaign: Campaign, wanted: HistoryFilter) -> Iterator[str]:
    columns = ("created", "after", "who", "kind", "topic", "said")
    return csv_lines(columns, _rows(campaign, wanted))


def _json(campaign: Campaign, wanted: HistoryFilter) -> Iterator[str]:
    return json_lines(_rows(campaign, wanted))


_FORMS = {"csv": ("text/csv", _csv), "jsonl": ("application/x-ndjson", _json)}


def _rows(campaign: Campaign, wanted: HistoryFilter) -> Iterator[dict[str, Any]]:
    at = CampaignLinks(campaign.slug)
    for line in all_lines(campaign=campaign, wanted=wanted):
        yield {
            "created": line.at,
            "after": line.place.after,
            "who": line.who,
            "kind": line.kind,
            "topic": line.detail.get("topic", ""),
            "said": sentence_of(line, at).plain,
            "detail": line.detail,
        }


def _wanted(request: HttpRequest) -> HistoryFilter:
    given = {name: request.GET.get(name, "").strip() for name in FILTERS}
    for name, value in given.items():
        if len(value) > LONGEST_FILTER or not value.isprintable():
            detail = _("at most {count} printable characters").format(count=LONGEST_FILTER)
            raise Refusal("bad_filter", detail, field=name)
    if given["kind"] and given["kind"] not in HISTORY_KINDS:
        detail = _("there is no kind of log entry called “{kind}”").format(kind=given["kind"])
        raise Refusal("bad_filter", detail, field="kind")
    return HistoryFilter(given["person"], given["kind"], given["topic"], _day(given["day"]), given["words"])


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or not 1970 <= day.year < 9999:
        detail = _("a day is written like 2026-11-21, not “{day}”").format(day=text)
        raise Refusal("bad_filter", detail, field="day")
    return day


def _beyond(request: HttpRequest) -> HistoryPlace | None:
    text = request.GET.get("beyond", "")
    if not text:
        return None
    first, _dot, second = text.partition(".")
    after, deed = read_digits(first, 15), read_digits(second, 15)
    if after is None or deed is None or after >= 2**31 - 1:
        raise Refusal("bad_place", _("the address names no place in the history"), field="beyond")
    return HistoryPlace(after, deed)
