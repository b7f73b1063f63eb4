"""Assessors who judge over HTTP by the API's own client, and go on whatever happens to the site."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from campaigns.api.client import Client, Judgment, Problem

GRADES = (0, 1, 2)
THINKING_SECONDS = 0.2
# Far more than any recovery takes: a longer wait is a fault.
PATIENCE = 180.0
Answer = TypeVar("Answer")


# A request that fails at first, or takes longer, was affected by a kill.
LONGEST_UNAFFECTED = 1.0


@dataclass(frozen=True)
class Outage:
    """`noticed`: when the request first failed, or was answered late."""

    noticed: float
    seconds: float


@dataclass
class Record:
    # In the order of the site's answers.
    acknowledged: list[Judgment] = field(default_factory=list)
    # Of affected requests, from their first try to their answer.
    outages: list[Outage] = field(default_factory=list)
    fault: BaseException | None = None


class Assessor(threading.Thread):
    def __init__(
        self, address: str, token: str, slug: str, topics: list[str], *, seed: str, stop: threading.Event
    ) -> None:
        super().__init__(name=seed, daemon=True)
        self.record = Record()
        self._client = Client(address, token, retrying=self._note_failure)
        self._campaign = self._client.campaign(slug)
        self._topics = topics
        self._random = Random(seed)
        self._stop_asked = stop
        self._failed_at: float | None = None

    def run(self) -> None:
        try:
            self._judge_topics()
        except BaseException as error:  # noqa: BLE001 — raised again where this thread is joined
            self.record.fault = error

    def _judge_topics(self) -> None:
        for topic in self._topics:
            while not self._stop_asked.is_set():
                served = self._insist(lambda topic=topic: self._campaign.next(topic))  # type: ignore[misc]
                if served is None:
                    break
                # The time is what is simulated; nothing is waited for.
                time.sleep(self._random.expovariate(1 / THINKING_SECONDS))
                self._judge(Judgment(topic, served.docno, self._random.choice(GRADES)))

    def _judge(self, judgment: Judgment) -> None:
        self._insist(lambda: self._campaign.judge(judgment))
        self.record.acknowledged.append(judgment)

    def _insist(self, ask: Callable[[], Answer]) -> Answer:
        """Ask until there is an answer, always with the same body. A refusal is a fault of the site."""
        began = time.monotonic()
        self._failed_at = None
        while True:
            try:
                answer = ask()
                break
            except Problem as problem:
                if problem.status < 500 or time.monotonic() - began > PATIENCE:
                    raise
            except OSError:
                if time.monotonic() - began > PATIENCE:
                    raise
            self._note_failure()
        now = time.monotonic()
        if self._failed_at is not None or now - began > LONGEST_UNAFFECTED:
            self.record.outages.append(Outage(self._failed_at or now, now - began))
        return answer

    def _note_failure(self, _: str = "") -> None:
        self._failed_at = self._failed_at or time.monotonic()
