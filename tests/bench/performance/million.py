"""A campaign of the Million Query track's size: how long it takes to open, what a judgment costs beside a
small campaign on the same site, and how much memory web server and worker use."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import numpy as np
from celery import current_app
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from campaigns.collection import topics
from campaigns.core.recompute_queue import reconfigure, request_recompute
from campaigns.formats.topics import TopicRecord
from campaigns.models import Campaign, Claim, Computed, Document, LogHead, Priority, Ranking, Run
from campaigns.models.packed import DOCUMENT_IDS, pack, pack_scores
from campaigns.people import members
from campaigns.setup import campaigns
from selection.pool import Ids
from tests.bench.judging import loop_data
from tests.bench.performance.assessors import Assessor, Worked, users_of
from tests.bench.performance.report import Table
from tests.bench.performance.services import Site, site
from tests.bench.performance.sizes import Sizes
from tests.load.connection import Line

RUNS, DEPTH, DOCUMENTS = 24, 1000, 8000
FEW = 50
# Topics visited in each campaign, in turn, and seconds in each.
VISITED, SECONDS_EACH = 10, 2.0
PATIENCE = 3 * 3600.0

_DOCUMENTS = """
INSERT INTO campaigns_document (collection_id, docno, title, body, content_type)
SELECT %s, 'BENCH-' || lpad(n::text, 6, '0'), '', '', 'text/plain' FROM generate_series(1, %s) n
"""
# In no order of topics or documents, as people judge; the first of each list.
_ACTS = """
INSERT INTO campaigns_judgment (id, campaign_id, sequence, topic_id, document_id, assessor_id, grade, reason,
  undo, adjudication, milliseconds, method, served_exactly, stale_claim, topic_revision, created)
SELECT gen_random_uuid(), %(campaign)s, row_number() OVER (ORDER BY md5(topic || ' ' || document)), topic,
  document, %(assessor)s, document %% 3, '', false, false, 5000, 'C', true, false, 1, now()
FROM unnest(%(topics)s::bigint[], %(documents)s::int[]) AS act (topic, document)
"""


def measure(folder: Path, sizes: Sizes) -> Iterator[Table]:
    small = make_large("Small", FEW, sizes.judgments * FEW // sizes.topics)
    large = make_large("Large", sizes.topics, sizes.judgments)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    # Nothing is computed before the opening.
    current_app.control.purge()
    with site(folder) as running:
        opened = {one.slug: _opened(one) for one in (small, large)}
        judged = _judged(running, [small, large])
        memory = {name: _peak(running, name) for name in ("web", "worker")}
    rows: list[list[str | float | None]] = [
        ["opened: request, s", opened[small.slug][0], opened[large.slug][0]],
        [
            "opened: first document can be served by the method, s",
            *(opened[c.slug][1] for c in (small, large)),
        ],
        ["opened: all judgments computed, s", opened[small.slug][2], opened[large.slug][2]],
        ["judgment, median reply ms", *(1000 * median(judged[c.slug].seconds) for c in (small, large))],
        ["web server, peak memory MB", None, memory["web"]],
        ["worker, peak memory of its largest process MB", None, memory["worker"]],
    ]
    ratio = median(judged[large.slug].seconds) / median(judged[small.slug].seconds)
    words = (
        f"How a campaign of {sizes.topics:,} topics compares with a small one. In the large campaign, a "
        f"judgment takes {ratio:.2f} times as long.\n\n"
        f"- Campaigns: Method C in topic scope, {RUNS} runs, {DEPTH} deep.\n"
        f"- Load: one assessor judges {VISITED} topics of each campaign in turn, without a pause.\n"
        "- Memory: that of the site with both campaigns.\n"
        "- Targets: open within 5 s; a judgment at most 1.3 times as long; web server at most 400 MB; "
        "worker at most 2,000 MB."
    )
    head = ("", f"{FEW} topics, {FEW * sizes.judgments // sizes.topics:,} judgments")
    yield Table(
        "Million-query size",
        words,
        (*head, f"{sizes.topics:,} topics, {sizes.judgments:,} judgments"),
        rows,
    )


def make_large(name: str, count: int, judgments: int) -> Campaign:
    """A draft with all its judgments, written straight into its tables."""
    ada, _ = User.objects.get_or_create(username="ada")
    campaign = campaigns.create(organiser=ada, name=name, scope="topic")
    grace, _ = User.objects.get_or_create(username="grace")
    members.add_member(campaign=campaign, username="grace", role="assessor")
    records = [TopicRecord(str(number), f"topic {number}", "", "") for number in range(1, count + 1)]
    topics.store_topics(campaign=campaign, user=ada, records=records)
    with connection.cursor() as cursor:
        cursor.execute(_DOCUMENTS, [campaign.collection_id, DOCUMENTS])
    rows = Document.objects.filter(collection=campaign.collection_id).order_by("id")
    documents = np.array(rows.values_list("id", flat=True), dtype=np.int32)
    runs = Run.objects.bulk_create(
        Run(campaign=campaign, tag=f"run{run:02}", file_name="bench", uploaded_by=ada) for run in range(RUNS)
    )
    rng = np.random.default_rng(count)
    each, first = -(-judgments // count), []
    for topic in campaign.topics.order_by("position").values_list("id", flat=True):
        shared = rng.standard_exponential(DOCUMENTS, dtype=np.float32)
        ranked = [documents[_ranking(rng, shared)] for _ in runs]
        scores = pack_scores(np.arange(DEPTH, 0, -1.0))
        Ranking.objects.bulk_create(
            Ranking(run=run, topic_id=topic, documents=pack(ranking, DOCUMENT_IDS), scores=scores)
            for run, ranking in zip(runs, ranked, strict=True)
        )
        first += [(topic, document) for document in ranked[0][:each].tolist()]
    _judge(campaign, grace, first[:judgments])
    return campaign


def _judge(campaign: Campaign, user: User, places: list[tuple[int, int]]) -> None:
    where, which = map(list, zip(*places, strict=True))
    given: dict[str, Any] = {
        "campaign": campaign.id,
        "assessor": user.id,
        "topics": where,
        "documents": which,
    }
    with connection.cursor() as cursor:
        cursor.execute(_ACTS, given)
    LogHead.objects.filter(campaign=campaign).update(length=len(places))
    reconfigure(campaign)


def _ranking(rng: np.random.Generator, shared: np.ndarray) -> Ids:
    scores = shared + rng.standard_normal(len(shared), dtype=np.float32)
    top = np.argpartition(-scores, DEPTH)[:DEPTH]
    return top[np.argsort(-scores[top])].astype(np.int32)


def _opened(campaign: Campaign) -> tuple[float, float, float]:
    """Seconds of the request; until a queue is there; until all that is in the log is computed."""
    campaign.refresh_from_db()
    began = time.monotonic()
    campaigns.open_campaign(campaign=campaign)
    request = time.monotonic() - began
    request_recompute(campaign.id)
    queued = Priority.objects.filter(topic__campaign=campaign, configuration=campaign.configuration)
    loop_data.wait_until(queued.exists, PATIENCE)
    first = time.monotonic() - began
    computed = Computed.objects.filter(campaign=campaign, configuration=campaign.configuration)
    loop_data.wait_until(computed.exists, PATIENCE)
    return request, first, time.monotonic() - began


def _judged(running: Site, both: list[Campaign]) -> dict[str, Worked]:
    """In turn, so that whatever else the machine does meets both."""
    worked = {campaign.slug: Worked() for campaign in both}
    users = {campaign.slug: users_of(campaign, 1)[0] for campaign in both}
    for topic in range(1, VISITED + 1):
        for campaign in both:
            line = Line(running.address, users[campaign.slug])
            one = Assessor(line, campaign.slug, str(topic), 0, Random(topic), prefetches=False)
            one.work(time.monotonic() + SECONDS_EACH)
            worked[campaign.slug].add(one.worked)
            Claim.objects.filter(topic__campaign=campaign).update(expires_at=timezone.now())
    return worked


def _peak(running: Site, name: str) -> float:
    """Megabytes of the largest process."""
    children = running.webs if name == "web" else running.workers
    pids = [pid for child in children for pid in _family(child.pid)]
    return max(_high_water(pid) for pid in pids)


def _family(pid: int) -> Iterator[int]:
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from _family(int(child))


def _high_water(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024
