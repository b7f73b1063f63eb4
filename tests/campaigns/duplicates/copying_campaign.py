"""A campaign whose judgments are copied to near-duplicates, and what stands in it."""

from __future__ import annotations

import io
import random
from typing import Any

from django.contrib.auth.models import User

from campaigns.collection.documents import store_documents
from campaigns.duplicates import finding
from campaigns.exchange.exports import qrels
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Collection, Judgment
from campaigns.models.judgment import COPIED
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign

DRAW = random.Random(5)
STORY = [f"word{DRAW.randrange(10_000)}" for _ in range(100)]
# a and b have the same text, c and d are near-duplicates of them, e is none.
# u is a duplicate that no run ranks, and w one that no run ranks in topic 1.
TEXTS = {
    "a": " ".join(STORY),
    "b": " ".join(STORY).upper(),
    "c": " ".join([*STORY[:50], "other", *STORY[51:]]),
    "d": " ".join([*STORY[:20], "another", *STORY[21:]]),
    "e": " ".join(STORY[::-1]),
    "u": " ".join(STORY),
    "w": " ".join(STORY),
}
RUNS = {
    "x": {"1": ["a", "e", "b", "c"], "2": ["w", "a"]},
    "y": {"1": ["e", "d", "b"], "2": ["a", "w"]},
}


def store(collection: Collection, texts: dict[str, str], *, replace: bool = False) -> None:
    records = [DocumentRecord(docno, "", text) for docno, text in texts.items()]
    store_documents(collection=collection, records=records, file="texts", replace=replace)


def compare(collection: Collection) -> None:
    while finding.compare_for_a_while(collection=collection.id):
        pass


def copying(copies: str = "near", **settings: Any) -> Campaign:
    campaign = make_campaign("Copied", RUNS, judgment_copies=copies, **settings)
    store(campaign.collection, TEXTS)
    compare(campaign.collection)
    return campaign


def change(campaign: Campaign, **settings: Any) -> None:
    services.change_settings(campaign=Campaign.objects.get(id=campaign.id), **settings)


def person(campaign: Campaign, name: str) -> Api:
    return Api(campaign, f"{campaign.name}-{name}")


def judge(api: Api, docno: str, grade: int | None = None, topic: str = "1", **more: Any) -> None:
    reply = api.judge(topic, docno, grade, **more)
    assert reply.status_code in (200, 201), reply.content


def standing(campaign: Campaign, topic: str = "1") -> dict[str, int]:
    """Each document's grade, as in the qrels."""
    lines = "".join(qrels(campaign, "")).splitlines()
    return {docno: int(grade) for number, _, docno, grade in map(str.split, lines) if number == topic}


def copies(campaign: Campaign) -> list[tuple[str, str, str, int | None]]:
    """Every copied act: its document, its source, the source's assessor and the grade; None withdraws."""
    rows = Judgment.objects.filter(campaign=campaign, method=COPIED).order_by("sequence")
    columns = ("document__docno", "copied_from__document__docno", "copied_from__assessor__username", "grade")
    return [(a, b, c.rpartition("-")[2], d) for a, b, c, d in rows.values_list(*columns)]


def import_qrels(campaign: Campaign, text: bytes) -> None:
    parsed = read_qrels(io.BytesIO(text), "known.qrels")
    user = User.objects.get(username=f"{campaign.name}-ada")
    store_qrels(campaign=campaign, user=user, parsed=parsed, file="known.qrels")
