"""Documents to be judged on the screen: Cranfield's, where they are at hand, or made up at their length; and
made-up ones of the length and build of TREC-COVID's abstracts."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

from django.contrib.auth.models import User

from campaigns.collection import runs, topics
from campaigns.collection.documents import store_documents
from campaigns.formats.runs.files import ParsedRanking, ParsedRun
from campaigns.formats.runs.report import RunReport
from campaigns.formats.topics import DocumentRecord, TopicRecord
from campaigns.models import Campaign
from campaigns.people import members
from campaigns.setup import campaigns
from tests.bench.watching.visitor import PASSWORD

DOCUMENTS, RUNS = 300, 6
QUERY = "boundary layer transition on heated wings in supersonic flow"
PARTS = ("Background", "Methods", "Results", "Conclusions")
# Median words: of Cranfield's texts, and of each part of an abstract of TREC-COVID.
CRANFIELD_WORDS, PART_WORDS = 160, 65


def load(seed: int) -> Campaign:
    """Topic 1 has the short plain texts, topic 2 the abstracts."""
    source = random.Random(seed)
    texts = {"1": _cranfield() or _short(source), "2": _abstracts(source)}
    ada = User.objects.create_user("ada", password=PASSWORD)
    User.objects.create_user("grace", password=PASSWORD)
    campaign = campaigns.create(organiser=ada, name="Bench")
    members.add_member(campaign=campaign, username="grace", role="assessor")
    records = [TopicRecord(number, QUERY, "What is known of it?", "") for number in texts]
    topics.store_topics(campaign=campaign, user=ada, records=records)
    for run in range(RUNS):
        tag = f"run{run}"
        rankings = {
            number: ParsedRanking.of(number, _shuffled(found, source), range(len(found), 0, -1))
            for number, found in texts.items()
        }
        upload = runs.RunSource(user=ada, file=tag, sha256="")
        runs.store_runs(campaign=campaign, parsed=[ParsedRun(tag, rankings, RunReport())], upload=upload)
    everything = [record for found in texts.values() for record in found]
    store_documents(collection=campaign.collection, records=everything, file="texts")
    campaigns.open_campaign(campaign=campaign)
    return campaign


def _shuffled(records: list[DocumentRecord], source: random.Random) -> list[str]:
    return source.sample([record.docno for record in records], len(records))


def _cranfield() -> list[DocumentRecord]:
    path = Path(os.environ.get("TREC_DATA", "")) / "cranfield" / "docs.jsonl"
    if not path.is_file():
        return []
    lines = path.read_text().splitlines()[:DOCUMENTS]
    rows = [json.loads(line) for line in lines]
    return [_document(f"C{n}", row.get("title", ""), row.get("text", "")) for n, row in enumerate(rows)]


def _short(source: random.Random) -> list[DocumentRecord]:
    return [
        _document(f"C{n}", f"{n}: {_words(source, 10)}", _words(source, CRANFIELD_WORDS))
        for n in range(DOCUMENTS)
    ]


def _abstracts(source: random.Random) -> list[DocumentRecord]:
    return [
        _document(
            f"A{n}",
            f"{n}: {_words(source, 14)}",
            "\n\n".join(f"{part}: {_words(source, PART_WORDS)}" for part in PARTS),
        )
        for n in range(DOCUMENTS)
    ]


def _document(docno: str, title: str, text: str) -> DocumentRecord:
    return DocumentRecord(docno, title or docno, text, "text/plain")


def _words(source: random.Random, number: int) -> str:
    """Made-up words; every twelfth is the query's, to be marked on the screen."""
    query = QUERY.split()
    return " ".join(
        source.choice(query)
        if source.random() < 1 / 12
        else "".join(source.choices("aeioulnrstdm", k=source.randint(2, 10)))
        for _ in range(number)
    )
