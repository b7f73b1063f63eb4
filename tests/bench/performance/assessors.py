"""Simulated assessors who judge at a rate, and what each was served."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User

from campaigns.models import Campaign
from campaigns.people import members
from tests.load.connection import Line

GRADES = (0, 0, 1, 2)
# Seconds for which the browser awaits the server's choice (`BLINK` in static/assess/screen/acts/judging.js).
BLINK = 0.08


@dataclass(frozen=True)
class Served:
    """The document on the screen after an act, by the server's answer."""

    act: str
    topic: str
    docno: str


@dataclass
class Worked:
    """Seconds that each reply to a judgment took, and what each served."""

    seconds: list[float] = field(default_factory=list)
    served: list[Served] = field(default_factory=list)

    def add(self, other: Worked) -> None:
        self.seconds += other.seconds
        self.served += other.served


@dataclass
class Assessor:
    """Reads each document for `pause` seconds on average (0: not at all). `prefetches`: as a browser does,
    meanwhile."""

    line: Line
    campaign: str
    topic: str
    pause: float
    random: Random
    prefetches: bool = True
    # By topic and docno; without it, grades are drawn.
    grades: Mapping[tuple[str, str], int] | None = None
    worked: Worked = field(default_factory=Worked)
    # Docnos of the documents that a browser would hold by now.
    at_hand: list[str] = field(default_factory=list)

    def work(self, until: float) -> None:
        root = f"/api/v1/campaigns/{self.campaign}/"
        _, served = self.line.get(f"{root}next/?{urlencode({'topic': self.topic})}")
        while served and time.monotonic() < until:
            docno = served["docno"]
            grade = self._grade(docno)
            decided = time.monotonic() + self.pause * self.random.uniform(0.5, 1.5)
            shown = self._prefetched(root, docno, grade) if self.prefetches else ""
            time.sleep(max(decided - time.monotonic(), 0))
            act = {"id": str(uuid.uuid4()), "topic": self.topic, "docno": docno, "grade": grade}
            served = self._judged(root, act, shown)
            if served:
                self.worked.served.append(Served(str(act["id"]), self.topic, served["docno"]))

    def _judged(self, root: str, act: dict[str, Any], shown: str) -> dict[str, Any] | None:
        """What is on the screen after the act: the server's choice if it comes at once, as it did last time;
        else what is at hand."""
        awaited = bool(shown) and bool(self.worked.seconds) and self.worked.seconds[-1] < BLINK
        at_hand = {"have": self.at_hand} if awaited else {"shown": shown} if shown else {}
        began = time.perf_counter()
        status, answer = self.line.post(f"{root}judgments/", act | at_hand)
        self.worked.seconds.append(time.perf_counter() - began)
        if status not in (200, 201):
            raise RuntimeError(f"a judgment was answered with {status}: {answer}")
        if awaited and self.worked.seconds[-1] > BLINK:
            status, claimed = self.line.get(f"{root}next/?{urlencode({'topic': self.topic, 'docno': shown})}")
            answer["next"] = claimed if status == 200 else answer["next"]
        chosen: dict[str, Any] | None = answer["next"]
        return chosen

    def _grade(self, docno: str) -> int:
        return self.random.choice(GRADES) if self.grades is None else self.grades.get((self.topic, docno), 0)

    def _prefetched(self, root: str, docno: str, grade: int) -> str:
        asked = [("topic", self.topic), ("docno", docno), *(("have", each) for each in self.at_hand)]
        status, answer = self.line.get(f"{root}ahead/?{urlencode(asked)}")
        if status != 200:
            return ""
        self.at_hand = list(dict.fromkeys(filter(None, [*answer["next"].values(), *answer["reserve"]])))
        return str(answer["next"].get(str(grade)) or "")


def users_of(campaign: Campaign, count: int) -> list[User]:
    users = []
    for number in range(count):
        user, _ = User.objects.get_or_create(username=f"assessor{number}")
        users.append(user)
        if not campaign.memberships.filter(user=user).exists():
            members.add_member(campaign=campaign, username=user.username, role="assessor")
    return users


def let_work(assessors: Sequence[Assessor], seconds: float) -> tuple[Worked, float]:
    """All at once, each on a thread of its own; and how long they worked together."""
    began = time.monotonic()
    failed: list[BaseException] = []

    def work(one: Assessor) -> None:
        try:
            one.work(began + seconds)
        except BaseException as error:  # noqa: BLE001 — raised below
            failed.append(error)

    threads = [threading.Thread(target=work, args=[one], daemon=True) for one in assessors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    together = Worked()
    for one in assessors:
        together.add(one.worked)
    return together, time.monotonic() - began
