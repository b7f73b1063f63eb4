"""The demonstration's files become a campaign, through the services that pages and commands use."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from campaigns.collection import documents, runs, topics
from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.demo.accounts import Login, make_accounts
from campaigns.demo.files import DemoFiles, Progress
from campaigns.demo.systems import SYSTEMS
from campaigns.exchange import qrels
from campaigns.formats.documents import iter_documents
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs import read_runs
from campaigns.formats.topics import DocumentRecord, read_topics
from campaigns.models import Campaign, Membership
from campaigns.people import members
from campaigns.setup import campaigns

SLUG, NAME = "python-library", "Python library questions"
QRELS = Path(__file__).with_name("qrels.txt")
STAGE = "Loading"
GUIDELINES = (
    "Each document describes one function, class, method or module of a Python installation. Imagine the "
    "person who asks the question at the keyboard: would they be glad to have found this page?\n\n"
    "2, highly relevant: the page describes something that does what was asked, by itself.\n"
    "1, relevant: it helps on the way, or does a part of it, or the narrative says so.\n"
    "0, not relevant: everything else, even if the words agree.\n\n"
    "Judge what the page says, not what you know of the library. A long page that answers in one section "
    "is relevant. Pages that describe the same thing under several names all get the same grade."
)


@dataclass(frozen=True)
class Shipped:
    """Judgments that came with the demonstration: those taken, and those of documents not found here."""

    taken: int = 0
    absent: int = 0


@dataclass(frozen=True)
class Demo:
    campaign: Campaign
    logins: list[Login]
    shipped: Shipped


def existing() -> Campaign | None:
    return Campaign.objects.filter(slug=SLUG).first()


def load(folder: Path, files: DemoFiles, progress: Progress = lambda stage, share: None) -> Demo:
    """Make accounts and campaign, take everything in, and open it: all of it or, on an error, nothing."""
    with transaction.atomic(), acting_as(COMMAND_LINE):
        logins = make_accounts(folder)
        ada = User.objects.get(username="ada")
        campaign = campaigns.create(
            organiser=ada, name=NAME, slug=SLUG, guidelines=GUIDELINES, method="C", p=0.8
        )
        members.add_member(campaign=campaign, username="grace", role=Membership.Role.ASSESSOR)
        _load_files(campaign, ada, files, progress)
        shipped = _load_judgments(campaign, ada, QRELS)
        campaigns.open_campaign(campaign=campaign)
    progress(STAGE, 1)
    return Demo(campaign, logins, shipped)


def _load_files(campaign: Campaign, ada: User, files: DemoFiles, progress: Progress) -> None:
    name = files.collection.name
    texts = _counted(iter_documents(files.collection, name), progress)
    documents.store_documents(collection=campaign.collection, records=texts, file=name)
    records = read_topics(files.topics, files.topics.name)
    topics.store_topics(campaign=campaign, user=ada, records=records, file=files.topics.name)
    for place, system in enumerate(SYSTEMS, start=1):
        path = files.run(system.tag)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        upload = runs.Upload(user=ada, file=path.name, sha256=sha256, group=system.group)
        runs.store_runs(campaign=campaign, parsed=read_runs(path, path.name), upload=upload)
        progress(STAGE, 0.5 + 0.5 * place / len(SYSTEMS))


def _counted(records: Iterator[DocumentRecord], progress: Progress) -> Iterator[DocumentRecord]:
    """The number of documents is not known before the end; about ten thousand are expected."""
    for count, record in enumerate(records, start=1):
        yield record
        if count % 500 == 0:
            progress(STAGE, min(0.5, 0.5 * count / 10_000))


def _load_judgments(campaign: Campaign, ada: User, path: Path) -> Shipped:
    """Other versions of the libraries lack some documents: their judgments are left out."""
    if not path.exists():
        return Shipped()
    parsed = read_qrels(path, path.name)
    docnos = list({docno for row in parsed.grades.values() for docno in row})
    known = documents.ids_by_docno(collection=campaign.collection, docnos=docnos)
    here: dict[str, dict[str, int]] = {}
    for topic, row in parsed.grades.items():
        for docno, grade in row.items():
            if docno in known:
                here.setdefault(topic, {})[docno] = grade
    stored = qrels.store_qrels(
        campaign=campaign, user=ada, parsed=replace(parsed, grades=here), file=path.name
    )
    return Shipped(stored.added, sum(map(len, parsed.grades.values())) - stored.added)
