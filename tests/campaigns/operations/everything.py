"""A campaign with at least one row in every table that belongs to campaigns; and all rows there are."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone

from campaigns.lab.collections import copy_campaign
from campaigns.log import events
from campaigns.models import (
    Advice,
    Anchor,
    ApiToken,
    Campaign,
    Claim,
    Counterfactual,
    Delivery,
    Drawing,
    EmailsOff,
    EngineAnswer,
    EngineConfiguration,
    EngineConnection,
    EnginePull,
    EngineVersion,
    Judgment,
    LabJob,
    LabTrial,
    Loading,
    Measured,
    Membership,
    Outlook,
    Postponement,
    Prediction,
    QualityFlag,
    Question,
    Repeat,
    Sample,
    SentMail,
    Tally,
    TopicCompletion,
    TopicOrder,
    Webhook,
)
from campaigns.operations.campaign_deletion import owned_tables
from campaigns.participants import rules, submissions
from campaigns.people import invitations
from campaigns.people.teams import ensure_team, join_team
from tests.campaigns.exchange.bundles.test_bundles import rich

Rows = dict[str, list[str]]


def full_campaign(name: str = "Small") -> Campaign:
    campaign = rich(name)
    ada, grace = (User.objects.get(username=f"{name}-{who}") for who in ("ada", "grace"))
    grace.email = f"grace-{name}@example.org"
    grace.save()
    topic = campaign.topics.get(number="1")
    first = Judgment.objects.filter(campaign=campaign, assessor=grace).earliest("sequence")
    at: dict[str, Any] = {"as_of": 1, "configuration": 1}
    Advice.objects.create(campaign=campaign, **at)
    Prediction.objects.create(campaign=campaign, **at)
    Measured.objects.create(campaign=campaign, **at)
    Outlook.objects.create(campaign=campaign, configuration=1)
    Counterfactual.objects.create(campaign=campaign, method="A", configuration=1)
    TopicOrder.objects.create(campaign=campaign, inputs="", as_of=1)
    Drawing.objects.create(campaign=campaign, name="curves", kind="svg", content=b"", **at)
    Tally.objects.update_or_create(
        campaign=campaign, kind="made", defaults={"rule": "", "as_of": 1, "content": {}}
    )
    Loading.objects.create(campaign=campaign, name="a dataset", asked_by=ada, language="en")
    packed = {"documents": b"", "inclusion": b"", "buckets": b"", "masses": b""}
    Sample.objects.create(topic=topic, size=0, seed=1, **packed)
    Anchor.objects.create(topic=topic, document=first.document, place=0, seed=1, as_of=0)
    TopicCompletion.objects.create(topic=topic, assessor=grace)
    document = campaign.collection.documents.get(docno="b")
    Postponement.objects.create(assessor=grace, topic=topic, document=document)
    Claim.objects.filter(topic=topic, document=document).delete()
    now = timezone.now()
    claim = {"assessor": grace, "created": now, "expires_at": now + timedelta(hours=1)}
    Claim.objects.create(topic=topic, document=document, **claim)
    collection = copy_campaign(owner=ada, name="a copy", campaign=campaign)
    job = LabJob.objects.create(owner=ada, collection=collection, campaign=campaign, study="replay")
    LabTrial.objects.create(job=job, position=0, key="")
    said = {"campaign": campaign, "topic": topic, "document_id": first.document_id, "assessor": grace}
    Repeat.objects.create(first=first, grade=1, created=now, **said)
    QualityFlag.objects.create(campaign=campaign, assessor=grace, kind="time", as_of=1)
    Question.objects.create(text="does it count?", **said)
    webhook = Webhook.objects.create(campaign=campaign, url="https://example.org", events=[], secret="s")
    body = f'{{"type": "judgments", "data": {{"judgments": [{{"assessor": "{grace.username}"}}]}}}}'
    Delivery.objects.create(webhook=webhook, kind="judgments", body=body, next_try=now)
    engine = EngineConnection.objects.create(
        campaign=campaign, name="an engine", kind="json", url="https://example.org"
    )
    query = EngineConfiguration.objects.create(connection=engine, name="a query")
    version = EngineVersion.objects.create(
        configuration=query, number=1, method="GET", path="/", template={}, depth=1, mapping={}, author=ada
    )
    run = campaign.runs.first()
    pull = EnginePull.objects.create(version=version, tag="x", run=run, asked_by=ada, language="en")
    EngineAnswer.objects.create(pull=pull, topic=topic, revision=1, hits=[], count=0, milliseconds=1)
    invitations.create(
        campaign=campaign,
        inviter=ada,
        role="assessor",
        link_of=lambda token: f"https://site/{token}",
        address=grace.email,
    )
    team = ensure_team(campaign=campaign, name="Delft")
    join_team(team=team, user=User.objects.create(username=f"{name}-carl"))
    rules.set_rules(campaign=campaign, deadline=now + timedelta(hours=1))
    file = SimpleUploadedFile("delft.run", b"1 Q0 a 1 1.0 delft\n")
    submissions.hand_in(team=team, user=User.objects.get(username=f"{name}-carl"), upload=file, priority=1)
    ApiToken.objects.create(
        user=grace, name="a program", prefix="x", secret_hash=name, scopes=["read"], campaign=campaign
    )
    membership = Membership.objects.get(user=grace, campaign=campaign)
    EmailsOff.objects.create(user=grace)
    SentMail.objects.create(membership=membership, kind="progress", key="2026-03-01")
    events.publish(campaign=campaign.id, events=[("progress", {"judged": 1})])
    empty = [m.__name__ for m, path in owned_tables() if not m._default_manager.filter(**{path: campaign.id})]
    assert empty == [], "the test lacks a row of these tables"
    return campaign


def all_rows(*besides: str) -> Rows:
    """Every row of every table, as text."""
    with connection.cursor() as cursor:
        found = {}
        for table in connection.introspection.table_names(cursor):
            if table not in besides:
                cursor.execute(f'SELECT t::text FROM "{table}" t ORDER BY 1')
                found[table] = [row for (row,) in cursor.fetchall()]
    return found


def rows_with(*words: str) -> list[str]:
    """Tables and rows that hold one of the words, upper or lower case."""
    return [
        f"{table}: {row}"
        for table, rows in all_rows().items()
        for row in rows
        if any(word.casefold() in row.casefold() for word in words)
    ]
