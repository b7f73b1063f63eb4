"""The judging screen: the data of its scripts, and the service worker that shows it without a network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.collection.shown_text import markdown_html
from campaigns.core.phrases import reason_text
from campaigns.judging.progress import history, progress_of
from campaigns.judging.questions import questions_in_topic
from campaigns.log.annotations import own_annotations
from campaigns.models import Campaign, Claim, Postponement, Topic, judgment
from campaigns.pages.help.views import offline_files

FOLDERS = ("assess", "site")
SCRIPT = "assess/offline/worker.js"

MOST_HISTORY = 1000


def screen_data(*, campaign: Campaign, topic: Topic, assessor: int) -> dict[str, Any]:
    said = history(topic=topic, assessor=assessor, limit=MOST_HISTORY)
    return {
        "assessor": assessor,
        "campaign": campaign.slug,
        "topic": topic.number,
        "title": topic.title,
        "revision": topic.revision,
        "api": reverse("api:campaign", args=[campaign.slug]),
        "worker": reverse("assess:worker"),
        "finish": reverse("assess:finish", args=[campaign.slug, topic.number]),
        "leave": reverse("assess:campaign", args=[campaign.slug]),
        "onward": reverse("assess:onward", args=[campaign.slug, topic.number]) if campaign.anchors else "",
        "grades": grades(campaign),
        "reasons": {reason: reason_text(reason) for reason in judgment.REASONS},
        "progress": asdict(progress_of(campaign=campaign, topic=topic.id, assessor=assessor)),
        "history": said,
        "annotations": own_annotations(topic=topic.id, assessor=assessor),
        "questions": questions_in_topic(topic=topic.id, assessor=assessor),
        "aside": judge_later_documents(topic=topic, assessor=assessor, judged={row["docno"] for row in said}),
    }


def guidelines_of(campaign: Campaign) -> SafeString:
    """The guidelines, in Markdown, as safe HTML."""
    return mark_safe(markdown_html(campaign.guidelines))  # noqa: S308  # sanitised


def grades(campaign: Campaign) -> list[dict[str, Any]]:
    """The scale without its gains: what a grade is worth is the organiser's business."""
    return [
        {
            "grade": row["grade"],
            "label": row["label"],
            "key": row["key"],
            "definition": row.get("definition", ""),
            "note": row.get("note", False),
            "relevant": campaign.is_relevant(row["grade"]),
        }
        for row in campaign.grades
    ]


def judge_later_documents(*, topic: Topic, assessor: int, judged: Collection[str]) -> list[dict[str, Any]]:
    """Documents that the assessor set aside to judge later. For those they had judged, the entry is marked as
    a revision."""
    rows = Postponement.objects.filter(topic=topic, assessor_id=assessor).order_by("created")
    return [
        {"docno": docno, "title": title, "revision": purpose == Claim.Purpose.FIRST and docno in judged}
        for docno, title, purpose in rows.values_list("document__docno", "document__title", "purpose")
    ]


@require_safe
@never_cache
def worker_script(request: HttpRequest) -> HttpResponse:
    """The worker's script. It stands below /judge/, as a worker may answer for nothing above itself."""
    names = [name for name, _, _ in _files()]
    addresses = [static(name) for name in names if name != SCRIPT] + offline_files()[0]
    constants = {"VERSION": offline_version(), "FILES": addresses}
    lines = [f"const {name} = {json.dumps(value)};" for name, value in constants.items()]
    source = Path(str(finders.find(SCRIPT))).read_text()
    return HttpResponse("\n".join([*lines, source]), content_type="text/javascript; charset=utf-8")


def mark_page(response: HttpResponse, user: User) -> None:
    """Let the worker keep this page for one person, beside the files it was made for."""
    response.headers["X-Kept-For"] = str(user.pk)
    response.headers["X-Files"] = offline_version()


def offline_version() -> str:
    guide = ((file.name, str(file), file.stat().st_mtime_ns) for file in offline_files()[1])
    return _hashed((*_files(), *guide))


def _files() -> tuple[tuple[str, str, int], ...]:
    """Name, place and time of change of each file of the screen."""
    found = []
    for folder in FOLDERS:
        home = Path(str(finders.find(folder)))
        for file in sorted(each for each in home.rglob("*") if each.is_file()):
            name = f"{folder}/{file.relative_to(home).as_posix()}"
            found.append((name, str(file), file.stat().st_mtime_ns))
    return tuple(found)


@lru_cache(maxsize=2)
def _hashed(files: tuple[tuple[str, str, int], ...]) -> str:
    whole = hashlib.sha256()
    for name, place, _ in files:
        whole.update(f"{name}\0{hashlib.sha256(Path(place).read_bytes()).hexdigest()}\0".encode())
    return whole.hexdigest()[:16]
