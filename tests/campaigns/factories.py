"""Small campaigns made by the very services that pages and commands use."""

from __future__ import annotations

import io
import uuid
from collections.abc import Mapping, Sequence
from itertools import chain, starmap
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from campaigns.collection import runs, topics
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import TopicRecord
from campaigns.log import audit
from campaigns.models import Campaign, Membership
from campaigns.people import tokens
from campaigns.setup import campaigns

Lists = Mapping[str, Mapping[str, Sequence[str]]]
ASSESSOR = Membership.Role.ASSESSOR.value

# Run → topic → docnos, best first. Run z misses topic 2.
THREE_RUNS: Lists = {
    "x": {"1": ["a", "b", "c", "d", "e"], "2": ["k", "l", "m"]},
    "y": {"1": ["b", "a", "f", "g", "c"], "2": ["l", "n", "k"]},
    "z": {"1": ["h", "a", "i", "b", "j"]},
}


def make_user(name: str) -> User:
    # Without a password: hashing one costs more than the rest of a test.
    return User.objects.create(username=name)


def run_text(tag: str, lists: Mapping[str, Sequence[str]]) -> bytes:
    lines = [
        f"{topic} Q0 {docno} {rank} {100 - rank} {tag}"
        for topic, docnos in lists.items()
        for rank, docno in enumerate(docnos, start=1)
    ]
    return ("\n".join(lines) + "\n").encode()


def add_run(campaign: Campaign, tag: str, lists: Mapping[str, Sequence[str]], **upload: Any) -> None:
    _store(campaign, {tag: lists}, f"{tag}.run", **upload)


def _store(campaign: Campaign, lists: Lists, file: str, **upload: Any) -> None:
    files = [(io.BytesIO(run_text(tag, by_topic)), f"{tag}.run") for tag, by_topic in lists.items()]
    organiser = Membership.objects.get(campaign=campaign, role=Membership.Role.ORGANISER).user
    source = runs.RunSource(user=organiser, file=file, sha256="", **upload)
    parsed = list(chain.from_iterable(starmap(read_runs, files)))
    runs.store_runs(campaign=campaign, parsed=parsed, upload=source)


def _add_assessors(campaign: Campaign, users: Sequence[User]) -> None:
    """Store what `members.add_member` stores. Its locks and its checks of an earlier role, which new accounts
    lack, are a quarter of the statements of `make_campaign`."""
    Membership.objects.bulk_create(Membership(campaign=campaign, user=user, role=ASSESSOR) for user in users)
    for user in users:
        audit.note(campaign=campaign, kind="role", person=user.username, role=ASSESSOR, before=None)


def make_campaign(
    name: str = "Small", lists: Lists = THREE_RUNS, *, opened: bool = True, **settings: Any
) -> Campaign:
    """An organiser `<name>-ada`, assessors `<name>-grace` and `<name>-alan`, topics and runs."""
    people = [User(username=f"{name}-{person}") for person in ("ada", "grace", "alan")]
    organiser, *assessors = User.objects.bulk_create(people)
    campaign = campaigns.create(organiser=organiser, name=name, **settings)
    _add_assessors(campaign, assessors)
    numbers = sorted({topic for run in lists.values() for topic in run})
    records = [TopicRecord(number, f"title {number}", "", "") for number in numbers]
    topics.store_topics(campaign=campaign, user=organiser, records=records)
    if lists:
        # As one upload: one for each run would take as long as everything else.
        _store(campaign, lists, f"{name}.run")
    if opened:
        campaigns.open_campaign(campaign=campaign)
    campaign.refresh_from_db()
    return campaign


def signed_in(username: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client


def with_token(
    username: str, *scopes: str, campaign: Campaign | None = None, days: int | None = None
) -> Client:
    """A program with a new token; like any other, it has no cookies and so no CSRF token."""
    user = User.objects.get(username=username)
    _, secret = tokens.make(user=user, name="a program", scopes=scopes, campaign=campaign, days=days)
    return holding(secret)


def holding(secret: str) -> Client:
    return Client(enforce_csrf_checks=True, headers={"Authorization": f"Token {secret}"})


class Api:
    """The API as one signed-in person of one campaign sees it."""

    def __init__(self, campaign: Campaign, username: str) -> None:
        self.client = signed_in(username)
        self.root = f"/api/v1/campaigns/{campaign.slug}/"

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(self.root + path, query)

    def post(self, path: str, body: Any = None) -> Any:
        return self.client.post(self.root + path, body, content_type="application/json")

    def upload(self, path: str, content: bytes, name: str = "file", **fields: Any) -> Any:
        file = io.BytesIO(content)
        file.name = name
        return self.client.post(self.root + path, {"file": file, **fields})

    def judge(self, topic: str, docno: str, grade: int | None = None, **more: Any) -> Any:
        return self.post("judgments/", _act(topic, docno, grade, **more))

    def judge_all(self, topic: str, grades: Mapping[str, int]) -> None:
        """Judge many documents in one request, for a test that begins after them; it serves no next ones."""
        reply = self.post("judgments/", [_act(topic, docno, grade) for docno, grade in grades.items()])
        assert reply.status_code == 200, reply.content
        results = reply.json()["results"]
        assert [result["status"] for result in results] == [201] * len(grades), results


def _act(topic: str, docno: str, grade: int | None, **more: Any) -> dict[str, Any]:
    act = {"id": str(uuid.uuid4()), "topic": topic, "docno": docno, "milliseconds": 1200, **more}
    return act if grade is None else act | {"grade": grade}
