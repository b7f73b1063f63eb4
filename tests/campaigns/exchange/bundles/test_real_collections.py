"""The round trip of real test collections, with a few hundred judgments on them."""

from __future__ import annotations

import uuid
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.collection import runs, topics
from campaigns.collection.documents import store_documents
from campaigns.computing.tasks import recompute
from campaigns.formats.compressed_files import find_files
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import read_topics
from campaigns.models import Campaign, Document, Judgment, LogHead, Priority
from campaigns.models.packed import unpack_ids
from campaigns.setup import campaigns
from tests.campaigns.exchange.bundles.bundle_copies import computed, contents, copied, packed
from tests.campaigns.factories import make_user
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data

pytestmark = [pytest.mark.django_db, needs_data]


def real(folder: Path, topics_file: str, documents: str, method: str) -> Campaign:
    ada = make_user("ada")
    campaign = campaigns.create(organiser=ada, name=folder.name, method=method, seed=11)
    if documents:
        path = folder / documents
        store_documents(
            collection=campaign.collection, records=iter_documents(path, path.name), file=path.name
        )
    topics.store_topics(campaign=campaign, user=ada, records=read_topics(folder / topics_file, topics_file))
    for path in find_files([folder / "runs"]):
        parsed = read_runs(path, path.name, lenient=True)
        upload = runs.RunSource(user=ada, file=path.name, sha256="0" * 64)
        runs.store_runs(campaign=campaign, parsed=parsed, upload=upload)
    campaigns.open_campaign(campaign=campaign)
    return campaign


def judge(campaign: Campaign, qrels: Path, acts: int) -> None:
    """What comes first in each queue, by its grade in the qrels; the queues follow every ten acts."""
    known = read_qrels(qrels, qrels.name).grades
    draw, ada = np.random.default_rng(3), User.objects.get(username="ada")
    rows = {topic.id: topic for topic in campaign.topics.all()}
    recompute(campaign.id)
    for sequence in range(1, acts + 1):
        topic = rows[int(draw.choice(list(rows)))]
        queue = unpack_ids(Priority.objects.get(topic=topic).documents)
        judged = set(Judgment.objects.filter(topic=topic).values_list("document", flat=True))
        document = next(int(id) for id in queue if int(id) not in judged)
        docno = Document.objects.values_list("docno", flat=True).get(id=document)
        grade = min(max(known.get(topic.number, {}).get(docno, 0), 0), 2)
        Judgment.objects.create(
            id=uuid.uuid4(), campaign=campaign, sequence=sequence, topic=topic, document_id=document,
            assessor=ada, grade=grade, method=campaign.method, milliseconds=1000, created=timezone.now(),
        )  # fmt: skip
        LogHead.objects.filter(campaign=campaign).update(length=sequence)
        if sequence % 10 == 0:
            recompute(campaign.id)


@pytest.mark.parametrize(
    ("name", "topics_file", "documents", "qrels", "method"),
    [
        ("trec-covid-r1", "topics.xml", "", "qrels.txt", "C"),
        ("trec-covid-r1", "topics.xml", "", "qrels.txt", "statap"),
        ("cranfield", "topics.trec", "docs.jsonl", "qrels.graded.txt", "mtc"),
    ],
)
def test_the_copy_of_a_real_campaign(
    name: str, topics_file: str, documents: str, qrels: str, method: str
) -> None:
    campaign = real(TREC_DATA / name, topics_file, documents, method)
    judge(campaign, TREC_DATA / name / qrels, acts=200)
    campaign.refresh_from_db()
    content = packed(campaign)
    copy = copied(content)
    assert computed(copy) == computed(campaign)
    again = contents(packed(copy))
    for entry in ("documents.jsonl", "topics.jsonl", "rankings.jsonl", "samples.jsonl"):
        assert again[entry] == contents(content)[entry]
