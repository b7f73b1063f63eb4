"""Two campaigns with nothing in common: the organiser of one learns nothing of the other and changes nothing
in it, wherever they write its names. The addresses are those of the description: a new one is tried, too."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import requests
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import ForeignKey, Model, Q
from django.utils import timezone

from campaigns.collection.documents import store_documents
from campaigns.engines import connections
from campaigns.engines.configurations import save_configuration
from campaigns.engines.pulls import start_pull
from campaigns.formats.topics import DocumentRecord
from campaigns.judging import questions
from campaigns.lab.collections import copy_campaign
from campaigns.models import Campaign, Collection, LabJob
from campaigns.notifications import deliveries, webhooks
from campaigns.participants import rules
from campaigns.people import invitations, tokens
from campaigns.people.teams import ensure_team, join_team
from campaigns.quality import training
from campaigns.setup.examples import add_examples
from tests.campaigns.api.framework.operations import FORM, Operation, operations
from tests.campaigns.factories import Api, make_campaign, make_user
from tests.campaigns.participants.team_campaigns import handed_in

# In whatever of the other campaign is never sent to the API, and so must never come from there.
HIDDEN = "hidden"


@dataclass(frozen=True)
class Side:
    campaign: Campaign
    names: Mapping[str, str]

    def headers(self, *, bound: bool) -> dict[str, str]:
        user = User.objects.get(username=self.names["organiser"])
        campaign = self.campaign if bound else None
        scopes = ["read", "judge", "organise", "submit"]
        _, secret = tokens.make(user=user, name="a program", scopes=scopes, campaign=campaign)
        return {"Authorization": f"Token {secret}"}


def make_side(name: str) -> Side:
    topic, first, second = f"{name}-topic", f"{name}-first", f"{name}-second"
    campaign = make_campaign(
        name, {f"{HIDDEN}-{name}": {topic: [first, second]}}, guidelines=f"{HIDDEN} {name}"
    )
    campaign.topics.update(title=f"{HIDDEN} {name}", narrative=f"{HIDDEN} {name}")
    texts = [DocumentRecord(docno, f"{HIDDEN} {name}", f"{HIDDEN} {name}", "") for docno in (first, second)]
    store_documents(collection=campaign.collection, records=texts, file="texts")
    items = [
        training.add_item(campaign=campaign, topic=topic, docno=docno, grade=1, reason=f"{HIDDEN} {name}")
        for docno in (first, second)
    ]
    organiser = User.objects.get(username=f"{name}-ada")
    (example,) = add_examples(
        campaign=campaign, docnos=[first], grade=1, reason=f"{HIDDEN} {name}", topic=topic
    )
    invitation, _ = invitations.create(campaign=campaign, inviter=organiser, role="assessor", link_of=str)
    webhook, _ = webhooks.add(
        campaign=campaign, user=organiser, url=f"https://example.org/{HIDDEN}-{name}", events=["topic.closed"]
    )
    delivery = deliveries.ping(webhook=webhook)
    engine = connections.add_connection(
        campaign=campaign, name=f"{HIDDEN}-{name}", kind="json", url=f"https://{HIDDEN}-{name}.invalid"
    )
    paths = {"hits": "rows", "id": "id", "title": "title"}
    query: dict[str, Any] = {"path": "/", "template": {"q": "{{topic.title}}"}, "depth": 5}
    query["mapping"] = paths
    version = save_configuration(connection=engine, user=organiser, name=f"{HIDDEN}-{name}", **query)
    pull = start_pull(configuration=version.configuration, user=organiser, tag=f"{HIDDEN}-{name}-pull")
    act = str(uuid.uuid4())
    grace = Api(campaign, f"{name}-grace")
    assert grace.judge(topic, first, 1, id=act).status_code == 201
    assert grace.post("later/", {"topic": topic, "docno": second}).status_code == 200
    key, asker = uuid.uuid4(), User.objects.get(username=f"{name}-grace")
    question, _ = questions.ask(
        campaign=campaign, assessor=asker, key=key, topic=topic, docno=first, text=f"{HIDDEN} {name}"
    )
    team = ensure_team(campaign=campaign, name=f"{HIDDEN}-{name}")
    join_team(team=team, user=make_user(f"{name}-carl"))
    rules.set_rules(campaign=campaign, deadline=timezone.now() + timedelta(hours=1))
    submission = handed_in(team, f"{HIDDEN}-{name}-run", lists={topic: [first]})
    collection = copy_campaign(owner=organiser, name=f"{HIDDEN} {name}", campaign=campaign)
    job = LabJob.objects.create(
        owner=organiser,
        collection=collection,
        campaign=campaign,
        collection_name=collection.name,
        study="replay",
    )
    names = {
        "slug": campaign.slug,
        "number": topic,
        "topic": topic,
        "docno": first,
        "have": second,
        "id": act,
        "item": str(items[0].id),
        "example": str(example.id),
        "username": f"{name}-grace",
        "organiser": f"{name}-ada",
        "invitation": str(invitation.id),
        "webhook": str(webhook.id),
        "delivery": str(delivery.id),
        "engine": str(engine.id),
        "configuration": str(version.configuration_id),
        "pull": str(pull.id),
        "what": "judgments-csv",
        "team": str(team.id),
        "submission": str(submission.id),
        "question": str(question.id),
        "collection": str(collection.id),
        "job": str(job.id),
        "form": "csv",
        "ending": "xml",
        "picture": "svg",
    }
    return Side(campaign, names)


@pytest.fixture
def sides(live_site: str) -> tuple[Side, Side]:
    return make_side("Red"), make_side("Blue")


def ask(
    site: str, operation: Operation, headers: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[requests.Response]:
    """Each way in which the operation takes something, with these names in it."""
    url = site + operation.address(names)
    common: dict[str, Any] = {
        "headers": headers,
        "params": operation.query(names),
        "timeout": 60,
        "stream": operation.path.endswith("/events/"),
    }
    for kind in operation.kinds or [""]:
        if not kind:
            body: dict[str, Any] = {}
        elif kind == FORM:
            body = {"files": {"file": ("lines", f"{names['topic']} 0 {names['docno']} 1\n")}}
        else:
            body = {"json": operation.body(kind, names)}
        yield requests.request(operation.method, url, **common, **body)


def of_campaign(model: type[Model], seen: tuple[type[Model], ...] = ()) -> Iterator[str]:
    """By which of its fields a row belongs to a campaign."""
    for field in model._meta.get_fields():
        target = field.related_model
        if not isinstance(field, ForeignKey) or not isinstance(target, type) or target in seen:
            continue
        if target is Campaign:
            yield field.name
        elif target is Collection:
            yield f"{field.name}__campaigns"
        elif target._meta.app_label == "campaigns":
            yield from (f"{field.name}__{path}" for path in of_campaign(target, (*seen, model)))


def rows_of(campaign: Campaign) -> dict[str, list[Any]]:
    """Every row that is the campaign's, of all tables."""
    found: dict[str, list[Any]] = {}
    for model in apps.get_app_config("campaigns").get_models():
        paths = {Campaign: ["pk"], Collection: ["campaigns"]}.get(model) or list(of_campaign(model))
        if paths and model.__name__ != "ApiToken":
            where = Q()
            for path in paths:
                where |= Q(**{path: campaign.pk})
            rows = model._default_manager.filter(where).distinct().values_list()
            found[model.__name__] = sorted(repr([_plain(value) for value in row]) for row in rows)
    return found


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


@pytest.mark.parametrize("bound", [True, False])
def test_with_the_others_address_there_is_nothing(
    live_site: str, sides: tuple[Side, Side], bound: bool
) -> None:
    mine, other = sides
    headers = mine.headers(bound=bound)
    before = rows_of(other.campaign)
    assert {"Judgment", "Document", "Webhook", "Delivery", "Invitation", "TrainingItem"} <= set(before)
    assert all(before[name] for name in ("Judgment", "Document", "Delivery", "Invitation", "Postponement"))
    for operation in operations():
        if "{slug}" not in operation.path:
            continue
        for reply in ask(live_site, operation, headers, other.names):
            assert reply.status_code == 404, (str(operation), reply.text)
            assert reply.json()["code"] == "not_found"
            assert "blue" not in reply.text.lower(), str(operation)
    assert rows_of(other.campaign) == before


@pytest.mark.parametrize("bound", [True, False])
def test_at_home_the_others_names_mean_nothing(live_site: str, sides: tuple[Side, Side], bound: bool) -> None:
    mine, other = sides
    headers = mine.headers(bound=bound)
    before = rows_of(other.campaign)
    foreign = {**other.names, "slug": mine.names["slug"]}
    for operation in operations():
        for reply in ask(live_site, operation, headers, foreign):
            said = "" if "/events/" in operation.path else reply.text
            assert reply.status_code < 500, (str(operation), said)
            assert f"{HIDDEN}-blue" not in said.lower(), str(operation)
            assert f"{HIDDEN} blue" not in said.lower(), str(operation)
            names_it = {
                "number",
                "docno",
                "item",
                "invitation",
                "webhook",
                "delivery",
                "engine",
                "configuration",
                "pull",
                "collection",
                "job",
                "question",
                "example",
            }
            if names_it & set(operation.path.replace("}", "{").split("{")):
                assert reply.status_code == 404, (str(operation), said)
            reply.close()
    assert rows_of(other.campaign) == before


def test_the_same_walk_with_ones_own_names_finds_much(live_site: str, sides: tuple[Side, Side]) -> None:
    """Otherwise the walks above would prove little."""
    mine, other = sides
    headers = mine.headers(bound=True)
    before = rows_of(other.campaign)
    found, named = 0, 0
    for operation in operations():
        # What would take away what the next ones ask for.
        if operation.method == "delete" or operation.path.endswith(("/close/", "/pause/", "/archive/")):
            continue
        for reply in ask(live_site, operation, headers, mine.names):
            said = "" if "/events/" in operation.path else reply.text
            found += reply.status_code < 300
            named += f"{HIDDEN}-red" in said.lower() or f"{HIDDEN} red" in said.lower()
            assert "blue" not in said.lower(), str(operation)
            reply.close()
    assert found > 30
    assert named > 12
    assert rows_of(other.campaign) == before
