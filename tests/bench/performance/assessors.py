"""Simulated assessors who judge at a rate, and what each was served."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User

from campaigns.models import Campaign
from campaigns.people import members
from tests.load.connection import Line

GRADES = (0, 0, 1, 2)


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
    """Thinks for `pause` seconds on average (0: not at all). `prefetches`: as a browser does."""

    line: Line
    campaign: str
    topic: str
    pause: float
    random: Random
    prefetches: bool = True
    worked: Worked = field(default_factory=Worked)

    def work(self, until: float) -> None:
        root = f"/api/v1/campaigns/{self.campaign}/"
        _, served = self.line.get(f"{root}next/?{urlencode({'topic': self.topic})}")
        while served and time.monotonic() < until:
            docno, grade = served["docno"], self.random.choice(GRADES)
            shown = self._prefetched(root, docno, grade) if self.prefetches else ""
            if self.pause:
                time.sleep(self.pause * self.random.uniform(0.5, 1.5))
            act: dict[str, Any] = {
                "id": str(uuid.uuid4()),
                "topic": self.topic,
                "docno": docno,
                "grade": grade,
            }
            began = time.perf_counter()
            status, answer = self.line.post(f"{root}judgments/", act | ({"shown": shown} if shown else {}))
            self.worked.seconds.append(time.perf_counter() - began)
            if status not in (200, 201):
                raise RuntimeError(f"a judgment was answered with {status}: {answer}")
            served = answer["next"]
            if served:
                self.worked.served.append(Served(act["id"], self.topic, served["docno"]))

    def _prefetched(self, root: str, docno: str, grade: int) -> str:
        asked = urlencode({"topic": self.topic, "docno": docno})
        status, answer = self.line.get(f"{root}ahead/?{asked}")
        return str(answer["next"].get(str(grade)) or "") if status == 200 else ""


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
