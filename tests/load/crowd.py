"""Many simulated assessors on one campaign at once, and what must hold of its rows afterwards."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import numpy as np
from django.contrib.auth.models import User

from campaigns.models import Campaign, Judgment
from campaigns.people import members
from tests.campaigns.factories import make_campaign, make_user
from tests.load.connection import Line
from tests.load.simulated_assessor import Record, Simulated

TOPICS, RUNS, DEPTH = 20, 6, 300


@dataclass(frozen=True)
class Crowd:
    assessors: int
    seconds: float
    # Mean time with a document.
    pause: float


def campaign_of(assessors: int) -> tuple[Campaign, list[User]]:
    random = Random(5)
    pools = {str(topic): [f"T{topic}-{each:03}" for each in range(500)] for topic in range(1, TOPICS + 1)}
    lists = {
        f"run{run}": {topic: random.sample(pool, DEPTH) for topic, pool in pools.items()}
        for run in range(RUNS)
    }
    campaign = make_campaign("Crowd", lists, min_judgments=15)
    users = []
    for number in range(assessors):
        users.append(make_user(f"assessor{number}"))
        members.add_member(campaign=campaign, username=f"assessor{number}", role="assessor")
    return campaign, users


def let_work(site: str, campaign: Campaign, users: Sequence[User], crowd: Crowd) -> dict[int, Record]:
    """What each saw, by user id."""
    root = f"/api/v1/campaigns/{campaign.slug}/"
    numbers = [str(topic) for topic in range(1, TOPICS + 1)]
    simulated = {
        user.id: Simulated(
            Line(site, user),
            root,
            numbers[index % TOPICS :] + numbers[: index % TOPICS],
            pause=crowd.pause,
            seed=f"crowd {index}",
        )
        for index, user in enumerate(users)
    }
    until = time.monotonic() + crowd.seconds
    failed: list[BaseException] = []

    def work(one: Simulated) -> None:
        try:
            one.work(until)
        except BaseException as error:  # noqa: BLE001 — raised again in the test below
            failed.append(error)

    threads = [threading.Thread(target=work, args=[one], daemon=True) for one in simulated.values()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return {user: one.record for user, one in simulated.items()}


def faults(campaign: Campaign, records: dict[int, Record]) -> Iterator[str]:
    """In words, all that should not be; nothing, if all is well."""
    yield from (fault for record in records.values() for fault in record.wrong)
    rows = list(
        Judgment.objects.filter(campaign=campaign)
        .order_by("sequence")
        .values_list("sequence", "assessor_id", "id", "topic__number", "document__docno", "undo")
    )
    if [row[0] for row in rows] != list(range(1, len(rows) + 1)):
        yield "the log has gaps"
    stored: dict[int, list[tuple[str, str, str, bool]]] = defaultdict(list)
    for _, assessor, act, topic, docno, undo in rows:
        stored[assessor].append((str(act), topic, docno, undo))
    for assessor, record in records.items():
        sent_acts = [(act.id, act.topic, act.docno, act.undo) for act in record.acts]
        if stored[assessor] != sent_acts:
            counted = f"{len(sent_acts)} acts acknowledged, {len(stored[assessor])} stored"
            yield f"assessor {assessor}: {counted}, or in another order"
    yield from _on_two_screens(records)
    yield from _judged_twice(campaign, records)


def _on_two_screens(records: dict[int, Record]) -> Iterator[str]:
    """By the server's own word, at one time."""
    screens = defaultdict(list)
    for assessor, record in records.items():
        for held in record.held:
            screens[held.topic, held.docno].append((held.since, held.until, assessor))
    for (topic, docno), times in screens.items():
        for (_, until, one), (since, _, other) in pairwise(sorted(times)):
            if since < until and one != other:
                yield f"topic {topic}, {docno}: on the screens of {one} and {other}"


def _judged_twice(campaign: Campaign, records: dict[int, Record]) -> Iterator[str]:
    """Graded by two, neither of whom had set it aside, nor judged it without the server's word."""
    excused = {place for record in records.values() for place in record.postponed}
    excused |= {
        (act.topic, act.docno) for record in records.values() for act in record.acts if not act.confirmed
    }
    graders: dict[tuple[str, str], set[int]] = defaultdict(set)
    rows = Judgment.objects.filter(campaign=campaign, grade__isnull=False)
    undone = set(
        Judgment.objects.filter(campaign=campaign, undo=True).values_list("topic__number", "document__docno")
    )
    for topic, docno, assessor in rows.values_list("topic__number", "document__docno", "assessor_id"):
        graders[topic, docno].add(assessor)
    for place, who in graders.items():
        if len(who) > 1 and place not in excused and place not in undone:
            yield f"topic {place[0]}, {place[1]}: judged by {sorted(who)}"


def report(records: dict[int, Record], seconds: float) -> list[str]:
    acts = sum(len(record.acts) for record in records.values())
    refused = Counter(code for record in records.values() for code in record.refused)
    times: dict[str, list[float]] = defaultdict(list)
    for record in records.values():
        for what, found in record.seconds.items():
            times[what] += found
    lines = [
        f"{len(records)} assessors, {acts} acts in {seconds:.0f} s, {acts / seconds:.1f} a second; "
        f"refused: {dict(refused)}"
    ]
    for what, found in times.items():
        p50, p95, p99 = np.percentile(1000 * np.array(found), [50, 95, 99])
        lines.append(f"{what}: {len(found)} answers, {p50:.0f} ms (median), {p95:.0f} (p95), {p99:.0f} (p99)")
    return lines
