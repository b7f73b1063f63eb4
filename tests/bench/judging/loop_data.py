"""The synthetic campaign as rows, stored by the services that uploads use."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from django.contrib.auth.models import User

from campaigns.collection import runs, topics
from campaigns.computing.worker import campaigns_behind
from campaigns.core.recompute_queue import request_recompute
from campaigns.formats.runs.files import ParsedRanking, ParsedRun, read_runs
from campaigns.formats.runs.report import RunReport
from campaigns.formats.topics import TopicRecord, read_topics
from campaigns.models import Campaign, Claim
from campaigns.people import members
from campaigns.setup import campaigns
from selection.pool import Ids
from tests.bench.data import TREC_8, Size, SyntheticCampaign, make_campaign
from tests.bench.watching.visitor import PASSWORD


def load(seed: int, size: Size = TREC_8, name: str = "Bench") -> Campaign:
    """Open, with `ada` as its organiser and `grace` as its assessor."""
    synthetic = make_campaign(seed, size)
    ada, campaign = _draft(name)
    numbers = [str(topic + 1) for topic in range(synthetic.size.topics)]
    records = [TopicRecord(number, f"topic {number}", "", "") for number in numbers]
    topics.store_topics(campaign=campaign, user=ada, records=records)
    for run in range(synthetic.size.runs):
        parsed = _parsed(synthetic, run, numbers)
        source = runs.RunSource(user=ada, file=parsed.tag, sha256="", group=f"group {synthetic.group[run]}")
        runs.store_runs(campaign=campaign, parsed=[parsed], upload=source)
    campaigns.open_campaign(campaign=campaign)
    return campaign


def load_trec_covid(folder: Path) -> Campaign:
    """The real topics and runs of TREC-COVID's first round, open as by `load`."""
    ada, campaign = _draft("TREC-COVID")
    records = read_topics(folder / "topics.xml", "topics.xml")
    topics.store_topics(campaign=campaign, user=ada, records=records)
    for file in sorted((folder / "runs").iterdir()):
        source = runs.RunSource(user=ada, file=file.name, sha256="", group=file.name)
        runs.store_runs(campaign=campaign, parsed=read_runs(file, file.name), upload=source)
    campaigns.open_campaign(campaign=campaign)
    return campaign


def _draft(name: str) -> tuple[User, Campaign]:
    ada = User.objects.filter(username="ada").first()
    if ada is None:
        ada = User.objects.create_user("ada", password=PASSWORD)
        User.objects.create_user("grace", password=PASSWORD)
    campaign = campaigns.create(organiser=ada, name=name)
    members.add_member(campaign=campaign, username="grace", role="assessor")
    return ada, campaign


def _parsed(synthetic: SyntheticCampaign, run: int, numbers: Sequence[str]) -> ParsedRun:
    rankings = {
        number: ParsedRanking.of(number, _docnos(ranked := synthetic.rankings[topic][run]), _falling(ranked))
        for topic, number in enumerate(numbers)
    }
    return ParsedRun(f"run{run:03}", rankings, RunReport())


def _docnos(documents: Ids) -> list[str]:
    return [f"BENCH-{document:06}" for document in documents]


def _falling(documents: Ids) -> range:
    return range(len(documents), 0, -1)


def one_run_text(seed: int, tag: str = "late") -> bytes:
    """One more run of the same campaign, as the file of an organiser."""
    synthetic = make_campaign(seed + 1, Size(runs=1, groups=1))
    lines = [
        f"{topic + 1} Q0 {docno} {rank} {1000 - rank} {tag}"
        for topic, rankings in enumerate(synthetic.rankings)
        for rank, docno in enumerate(_docnos(rankings[0]), start=1)
    ]
    return ("\n".join(lines) + "\n").encode()


def computed(campaign: Campaign) -> None:
    """Wait until the worker has computed all there is."""
    request_recompute(campaign.id)
    wait_until(lambda: not campaigns_behind())


def foreseen(as_of: int) -> None:
    """Wait until the document on screen has its look-ahead."""
    wait_until(lambda: Claim.objects.filter(lookahead_as_of=as_of).exists())


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError("the worker did not catch up")
        time.sleep(0.005)
