"""One data set in which every page has something to show. Tests read it; what they change is their own
assessor's alone."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from campaigns.collection import assignments
from campaigns.collection.documents import store_documents
from campaigns.computing.tasks import heartbeat
from campaigns.engines import connections
from campaigns.engines.configurations import save_configuration
from campaigns.formats.topics import DocumentRecord
from campaigns.lab.study_jobs import create_job
from campaigns.lab.tasks import take_up
from campaigns.models import Campaign, Delivery, EnginePull, LabJob
from campaigns.notifications import webhooks
from campaigns.participants import rules, submissions
from campaigns.people import accounts, invitations, members, second_factors, tokens
from campaigns.people.teams import ensure_team, join_team
from campaigns.quality import adjudication, training
from campaigns.setup import campaigns as services
from campaigns.setup.archive import archive
from campaigns.setup.examples import add_examples
from campaigns.stopping import counterfactuals
from campaigns.stopping.tasks import advise, predict
from campaigns.topic_order import releases
from campaigns.topic_order.tasks import order_topics
from tests.browser.judging_desk import DOCNOS, TEXT
from tests.campaigns.factories import Api, add_run, make_campaign, make_user
from tests.campaigns.lab.lab_files import make_collection
from tests.campaigns.measurement.measured import expected, sampled, store
from tests.campaigns.quality.test_training import go_through
from tests.campaigns.topic_order.ordered_campaigns import judge, many_topics
from tests.plumbing.idle import wait_until_idle

ORGANISER = "Desk-ada"
ASSESSOR = "Desk-grace"
UNTRAINED = "Desk-alan"
LONER = "loner"
ADMINISTRATOR = "administrator"
# Has a second factor.
PROTECTED = "protected"
DIFFERING = "Differ-ada"
# Hands in runs to `given`.
PARTICIPANT = "participant"
# The address that an invitation leads to; known once the data is made.
INVITED: list[str] = []

POOR = [f"poor{rank}" for rank in range(8)]
EXPECTED = {"doc11": 2, "doc12": 0, "doc13": 1, "doc14": 0, "doc15": 2}
PAGE = "<h1>Sorting</h1><p>A sorted <b>matrix</b> of rows, <a href='https://example.org/'>elsewhere</a>.</p>"
LISTS = {
    "up": {
        "7": DOCNOS,
        "8": DOCNOS[:5],
        "9": DOCNOS[:5],
        "10": DOCNOS[:1],
        "11": ["page", "doc02"],
        "12": DOCNOS[-1:],
    },
    "down": {"7": DOCNOS[:20][::-1], "8": DOCNOS[:5]},
}


@dataclass(frozen=True)
class Showing:
    desk: Campaign
    small: Campaign


def make_showing() -> Showing:
    """Campaigns `desk` (to judge), `small` (to watch), `given` (topics are assigned, and teams hand in runs),
    `sampled` and `expected` (by measures), `paused`, `draft`, `archived`, and `empty`, which has nothing."""
    loner = make_user(LONER)
    loner.set_unusable_password()
    loner.save()
    _protect(make_user(PROTECTED))
    _accounts()
    desk, small = _desk(), _small()
    _others()
    _tokens(small)
    wait_until_idle()
    advise.delay(small.id)
    wait_until_idle()
    # Beside each other, one would find the campaign busy and leave it to the beat.
    predict.delay(small.id)
    wait_until_idle()
    counterfactuals.request(campaign=small, method="pooling")
    order_topics.delay(Campaign.objects.get(slug="ordered").id)
    _lab()
    heartbeat.delay()
    wait_until_idle()
    return Showing(desk, small)


def _protect(user: User) -> None:
    secret = second_factors.new_secret()
    code = format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[1]))
    second_factors.turn_on(user=user, secret=secret, code=code, session=None)


def _desk() -> Campaign:
    soon = timezone.now() + timedelta(days=5)
    desk = make_campaign("Desk", LISTS, guidelines="Judge what it says.", min_judgments=5, due_at=soon)
    texts = [DocumentRecord(docno, "", TEXT.format(docno=docno), "text/plain") for docno in DOCNOS[:-1]]
    page = DocumentRecord("page", "A page", PAGE, "text/html")
    store_documents(collection=desk.collection, records=[*texts, page], file="texts")
    written = {
        "description": "Which calls sort rows?",
        "narrative": "Relevant is what names one.\n\nNot: columns.",
    }
    desk.topics.update(title="sorting the rows of matrices")
    desk.topics.exclude(number="8").update(**written)
    for docno, grade in EXPECTED.items():
        training.add_item(campaign=desk, topic="7", docno=docno, grade=grade, reason="it says so")
    add_examples(campaign=desk, docnos=["doc04", "page"], grade=2, reason="it names the call")
    add_examples(campaign=desk, docnos=["doc05"], grade=0, reason="it sorts columns", topic="7")
    add_examples(campaign=desk, docnos=["doc06"], grade=0, reason="it sorts nothing", topic="9")
    services.change_settings(
        campaign=desk, training_required=True, development_required=True, search_judging=True
    )
    grace = Api(desk, ASSESSOR)
    go_through(grace, EXPECTED)
    _judge(grace, "7", DOCNOS[:3])
    grace.judge("7", DOCNOS[3], reason="unreadable")
    docno = grace.get("next/", topic="7").json()["document"]["docno"]
    assert grace.post("later/", {"topic": "7", "docno": docno}).status_code == 200
    _judge(grace, "9", DOCNOS[:5])
    assert Api(desk, ORGANISER).post("topics/9/close/").status_code == 200
    _judge(grace, "10", DOCNOS[:1])
    return desk


def _small() -> Campaign:
    """Judgments that leave one run without a chance."""
    small = make_campaign("Small", budget=50)
    add_run(small, "poor", dict.fromkeys(("1", "2"), POOR), group="Athens")
    members.add_member(campaign=small, username=ORGANISER, role="organiser")
    grace = Api(small, "Small-grace")
    for topic, good in (("1", "abcdefghij"), ("2", "klmn")):
        _judge(grace, topic, good, grade=2)
        _judge(grace, topic, POOR[:-1], grade=0)
    _told(small)
    _pulled(small)
    return small


def _lab() -> None:
    """A collection, with two jobs that are done and one that failed."""
    collection = make_collection(User.objects.get(username=ORGANISER), "Graded pages")
    for settings in ({"budgets": [20, 60]}, {"budgets": [20, 60], "p": [0.5]}, {"budgets": [10_000]}):
        job = create_job(owner=collection.owner, collection=collection, study="replay", settings=settings)
        wait_until_idle()
        job.refresh_from_db()
        while job.state == LabJob.State.RUNNING:
            # As beat does.
            take_up.delay()
            wait_until_idle()
            job.refresh_from_db()


def _ordered() -> None:
    """Topics of each kind: finished, released, held back, waiting."""
    ordered = make_campaign("Ordered", many_topics(), min_judgments=2)
    members.add_member(campaign=ordered, username=ORGANISER, role="organiser")
    releases.set_order(campaign=ordered, method="adaptive+", ahead=0)
    for number in ("1", "2"):
        releases.release(campaign=ordered, number=number)
        judge(ordered, number)
    releases.hold(campaign=ordered, number="3")


def _measured() -> None:
    """Campaigns with estimates of their primary measure: by a random sample, and by MTC's model."""
    planned = tuple((topics, judgments, 0.1, 0.2) for topics in (25, 50) for judgments in (10, 20, 40))
    sample = _campaign("Sampled", method="sample", measures="RBP(p=0.8) AP")
    expected_ap = _campaign("Expected", method="mtc", measures="AP")
    for campaign in (sample, expected_ap):
        Api(campaign, f"{campaign.name}-grace").judge("1", "a", 2)
    wait_until_idle()
    # After the worker, which would store what so few judgments allow.
    store(sample, "RBP(p=0.8)", sampled(planned=planned), bounds=True)
    store(expected_ap, "AP", expected())


def _told(campaign: Campaign) -> None:
    """A webhook with a log, whose next delivery is far off."""
    ada = campaign.memberships.get(user__username=ORGANISER).user
    url, events = "https://hooks.example.org/assess/campaigns/small", ["topic.closed", "pair.decided"]
    webhook, _ = webhooks.add(campaign=campaign, user=ada, url=url, events=events)
    now, body = timezone.now(), json.dumps({"type": "topic.closed", "data": {"topic": "1"}})
    tried = {"kind": "topic.closed", "body": body, "tried_at": now, "milliseconds": 83}
    away = {"error": "no answer in time", "attempts": 8}
    webhook.deliveries.bulk_create(
        [
            Delivery(webhook=webhook, state="delivered", status=200, answer="thanks", attempts=1, **tried),
            Delivery(webhook=webhook, state="failed", **tried, **away),
            Delivery(webhook=webhook, next_try=now + timedelta(days=1), **tried, **away),
        ]
    )
    campaign.webhooks.update(failing_since=now)


def _pulled(campaign: Campaign) -> None:
    """An engine with a query, and a pull that failed."""
    ada = campaign.memberships.get(user__username=ORGANISER).user
    engine = connections.add_connection(
        campaign=campaign, name="Products", kind="json", url="https://search.example.org/api"
    )
    paths = {"hits": "results", "id": "id", "title": "title"}
    query: dict[str, Any] = {"path": "/search", "template": {"q": "{{topic.title}}"}, "depth": 100}
    version = save_configuration(connection=engine, user=ada, name="BM25", mapping=paths, **query)
    problem = {"code": "engine_trouble", "detail": "topic 1: the engine refused the credentials (401)"}
    EnginePull.objects.create(
        version=version, tag="BM25-v1", asked_by=ada, language="en", state="failed", problem=problem
    )


def _judge(api: Api, topic: str, docnos: Sequence[str], *, grade: int | None = None) -> None:
    for place, docno in enumerate(docnos):
        reply = api.judge(topic, docno, place % 3 if grade is None else grade)
        assert reply.status_code == 201, reply.content


def _others() -> None:
    given = _campaign("Given", topic_choice="assigned")
    topic = given.topics.get(number="1")
    ada = given.memberships.get(user__username="Given-ada").user
    assignments.assign(campaign=given, topics=[topic], username=ASSESSOR, organiser=ada)
    _participants(given)
    services.pause(campaign=_campaign("Paused"))
    archive(campaign=_campaign("Archived", opened=False))
    services.create(organiser=User.objects.get(username=ORGANISER), name="Empty")
    _campaign("Draft", opened=False)
    _differing()
    _ordered()
    _measured()


def _participants(campaign: Campaign) -> None:
    rules.set_rules(campaign=campaign, deadline=timezone.now() + timedelta(days=1), most_runs=3)
    user, team = make_user(PARTICIPANT), ensure_team(campaign=campaign, name="Uppsala")
    join_team(team=team, user=user)
    file = SimpleUploadedFile("own.run", b"1 Q0 a 1 9 own\n2 Q0 k 1 9 own\n")
    submissions.hand_in(team=team, user=user, upload=file, priority=1, description="BM25")


def _accounts() -> None:
    administrator = User.objects.create_superuser(ADMINISTRATOR)
    gone = make_user("gone")
    accounts.deactivate(user=gone, administrator=administrator)


def _tokens(small: Campaign) -> None:
    """One that holds, one for a campaign, and one that was revoked."""
    ada = User.objects.get(username=ORGANISER)
    tokens.make(user=ada, name="notebook", scopes=["read", "judge"])
    tokens.make(user=ada, name="nightly", scopes=["read"], campaign=small, days=30)
    old, _ = tokens.make(user=ada, name="old", scopes=["organise"])
    tokens.revoke_token(user=ada, token=old.id)


def _differing() -> None:
    """Two people judged the same, and do not agree; one document is decided already."""
    differ = make_campaign("Differ", overlap_share=1.0)
    grace, alan = Api(differ, "Differ-grace"), Api(differ, "Differ-alan")
    for place, docno in enumerate("abcdefghij"):
        assert grace.judge("1", docno, place % 3).status_code == 201
        assert alan.judge("1", docno, (place + place // 4) % 3).status_code == 201
    ada = User.objects.get(username=DIFFERING)
    adjudication.decide(
        campaign=differ, id=uuid.uuid4(), adjudicator=ada, topic="1", docno="e", grade=1, seen=""
    )
    _, link = invitations.create(
        campaign=differ, role="assessor", inviter=ada, link_of=lambda token: f"/join/#{token}", days=90
    )
    INVITED.append(link)


def _campaign(name: str, **settings: Any) -> Campaign:
    campaign = make_campaign(name, **settings)
    for username, role in ((ASSESSOR, "assessor"), (ORGANISER, "organiser")):
        members.add_member(campaign=campaign, username=username, role=role)
    return campaign


def fresh_assessor(showing: Showing, name: str) -> str:
    """A new assessor in `desk`, who has not trained yet."""
    make_user(name)
    members.add_member(campaign=showing.desk, username=name, role="assessor")
    return name
