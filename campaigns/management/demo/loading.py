"""The demo's files become a campaign with two accounts, through the services that pages and commands use."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from dataclasses import replace
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from campaigns.collection import documents, runs, topics
from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.core.errors import Refusal
from campaigns.exchange import qrels
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import read_topics
from campaigns.management.demo import tracked
from campaigns.management.demo.files import COLLECTION, TOPICS
from campaigns.management.demo.rankers import SYSTEMS
from campaigns.models import Campaign, Membership
from campaigns.people import members
from campaigns.setup import campaigns
from campaigns.stopping import counterfactuals

SLUG, NAME = "python-library", "Python library questions"
QRELS = Path(__file__).with_name("qrels.txt")
GUIDELINES = Path(__file__).with_name("guidelines.txt")
ROLES = {"ada": Membership.Role.ORGANISER, "grace": Membership.Role.ASSESSOR}
PASSWORDS = "logins.json"


def load(folder: Path) -> tuple[Campaign, int]:
    """Make accounts and campaign, store the files, open it: everything or, on an error, nothing.

    Also returns how many stored judgments are of documents that this installation lacks.
    """
    with transaction.atomic(), acting_as(COMMAND_LINE):
        make_accounts(folder)
        ada = User.objects.get(username="ada")
        text = GUIDELINES.read_text(encoding="utf-8").strip()
        campaign = campaigns.create(organiser=ada, name=NAME, slug=SLUG, guidelines=text, method="C", p=0.8)
        members.add_member(campaign=campaign, username="grace", role=Membership.Role.ASSESSOR)
        _load_files(campaign, ada, folder)
        absent = _load_judgments(campaign, ada)
        campaigns.open_campaign(campaign=campaign)
        # The list of campaigns, where Ada starts, then offers a replay to watch.
        counterfactuals.request(campaign=campaign, method="pooling")
    return campaign, absent


def _load_files(campaign: Campaign, ada: User, folder: Path) -> None:
    texts = iter_documents(folder / COLLECTION, COLLECTION)
    documents.store_documents(collection=campaign.collection, records=texts, file=COLLECTION)
    records = read_topics(TOPICS, TOPICS.name)
    topics.store_topics(campaign=campaign, user=ada, records=records, file=TOPICS.name)
    for system in tracked(SYSTEMS, "Loading"):
        path = folder / f"{system.tag}.run"
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        upload = runs.RunSource(user=ada, file=path.name, sha256=sha256, group=system.group)
        runs.store_runs(campaign=campaign, parsed=read_runs(path, path.name), upload=upload)


def _load_judgments(campaign: Campaign, ada: User) -> int:
    """Other versions of the libraries lack some documents: their judgments are left out and counted."""
    parsed = read_qrels(QRELS, QRELS.name)
    docnos = list({docno for grades in parsed.grades.values() for docno in grades})
    known = documents.ids_by_docno(collection=campaign.collection, docnos=docnos)
    here = {topic: {d: row[d] for d in row if d in known} for topic, row in parsed.grades.items()}
    stored = qrels.store_qrels(
        campaign=campaign, user=ada, parsed=replace(parsed, grades=here), file=QRELS.name
    )
    return sum(map(len, parsed.grades.values())) - stored.added


def known_passwords(folder: Path) -> dict[str, str]:
    """Passwords by user name, as far as they are still on the disk."""
    file = folder / PASSWORDS
    return dict(json.loads(file.read_text())) if file.exists() else {}


def make_accounts(folder: Path) -> None:
    """Create both with new passwords. An account that the demo did not make is refused, not changed."""
    for username in User.objects.filter(username__in=ROLES).values_list("username", flat=True):
        raise Refusal("user_exists", f"there is an account named “{username}”, which the demo did not make")
    passwords = {username: _pronounceable() for username in ROLES}
    for username, password in passwords.items():
        User.objects.create_user(username=username, password=password)
    (folder / PASSWORDS).unlink(missing_ok=True)
    descriptor = os.open(folder / PASSWORDS, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(passwords, file)


def _pronounceable() -> str:
    """Easy to type from a screen: `tomiva-kulero`, one of 10¹¹."""
    syllables = [secrets.choice("bdfghklmnprstvz") + secrets.choice("aeiou") for _ in range(6)]
    return "".join(syllables[:3]) + "-" + "".join(syllables[3:])
