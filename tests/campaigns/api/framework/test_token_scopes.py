"""What a token may do: no more than its scopes say, and no more than its owner may; for each address."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern
from rest_framework.views import APIView

from campaigns.api.framework.scopes import RequiredScopes
from campaigns.api.streams import EventsView, events
from campaigns.models import Campaign, Judgment
from tests.campaigns.api.addresses import API_ADDRESSES
from tests.campaigns.factories import Api, make_campaign, with_token

pytestmark = pytest.mark.django_db

ROOT = "/api/v1/campaigns/"
JSON = "application/json"
# Public.
PUBLIC = {"schema", "docs", "client"}
METHODS = ("get", "post", "patch", "put", "delete")


def view_of(pattern: URLPattern) -> type[APIView]:
    if pattern.callback is events:
        return EventsView
    view = getattr(pattern.callback, "view_class", None)
    assert view is not None, f"who may call {pattern.name}? Its scope is not known"
    return view  # type: ignore[no-any-return]


def ways() -> Iterator[tuple[str, str, str]]:
    """Each address of the API with each method that it takes, and the scope for that."""
    for pattern in API_ADDRESSES:
        if pattern.name in PUBLIC:
            continue
        view = view_of(pattern)
        needs = getattr(view, "needs", None)
        assert isinstance(needs, RequiredScopes), f"{view.__name__} does not say what a token needs"
        for method in METHODS:
            if method in view.http_method_names and hasattr(view, method):
                yield pattern.name or "", method, needs.scope_of(method.upper()).value


# The stream closes its thread's connection, the test's own here: it is tried on the live site.
WAYS = [way for way in ways() if way[0] != "events"]
PATHS = {pattern.name: str(pattern.pattern) for pattern in API_ADDRESSES}


def path_to(name: str, slug: str = "small") -> str:
    known = {"slug": slug, "docno": "a", "what": "scores"}
    return "/api/v1/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: known.get(found[1], "1"), PATHS[name])


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


def send(client: Client, name: str, method: str, slug: str = "small") -> Any:
    if method == "get":
        return client.get(path_to(name, slug), {"topic": "1", "docno": "a"})
    return getattr(client, method)(path_to(name, slug), "{}", content_type=JSON)


def code_of(reply: Any) -> str:
    json = "json" in reply.headers.get("Content-Type", "")
    return str(reply.json().get("code", "")) if json else ""


def test_each_scope_has_its_ways() -> None:
    assert {scope for _, _, scope in WAYS} == {"read", "judge", "organise", "submit"}
    judging = {name for name, _, scope in WAYS if scope == "judge"}
    assert judging == {
        *("next", "ahead", "judgments", "later", "claims", "annotations", "training", "search", "draw"),
        "questions",
        *("revisions", "close-topic", "done"),
    }


def test_without_its_scope_a_way_is_shut_and_with_it_open(campaign: Campaign) -> None:
    scopes = ("read", "judge", "organise", "submit")
    holding = {scope: with_token("Small-ada", scope) for scope in scopes}
    lacking = {scope: with_token("Small-ada", *(set(scopes) - {scope})) for scope in scopes}
    for name, method, scope in WAYS:
        refused = send(lacking[scope], name, method)
        assert (refused.status_code, code_of(refused)) == (403, "scope"), (name, method)
        assert f"lacks the scope “{scope}”" in refused.json()["detail"]
        let_in = send(holding[scope], name, method)
        assert let_in.status_code != 401, (name, method)
        assert code_of(let_in) != "scope", (name, method)


def test_a_token_of_another_campaign_finds_nothing(campaign: Campaign) -> None:
    """Whether its owner has a role there or not."""
    other = make_campaign("Other")
    stranger = with_token("Other-ada", "read", "judge", "organise", "submit", campaign=other)
    ways = [(name, method) for name, method, _ in WAYS if name != "campaigns"]
    assert {send(stranger, *way).status_code for way in ways} == {404}
    campaign.memberships.create(user=User.objects.get(username="Other-ada"), role="organiser")
    assert {send(stranger, *way).status_code for way in ways} == {404}
    assert {send(stranger, *way, slug="no-such-campaign").status_code for way in ways} == {404}


def test_no_scope_gives_what_the_role_does_not(campaign: Campaign) -> None:
    """An assessor with every scope is refused what the same assessor is refused who has signed in."""
    session = Api(campaign, "Small-grace").client
    program = with_token("Small-grace", "read", "judge", "organise", "submit")
    refused = 0
    for name, method, _ in WAYS:
        by_session, by_token = send(session, name, method), send(program, name, method)
        assert (by_session.status_code == 403) == (by_token.status_code == 403), (name, method)
        refused += by_token.status_code == 403
    assert refused > 10


def test_judging_by_token(campaign: Campaign) -> None:
    program = with_token("Small-grace", "judge")
    served = program.get(f"{ROOT}small/next/", {"topic": "1"}).json()
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": served["docno"], "grade": 1}
    assert program.post(f"{ROOT}small/judgments/", act, content_type=JSON).status_code == 201
    assert Judgment.objects.get().assessor.get_username() == "Small-grace"
    assert "run" not in str(served)


def test_a_token_for_one_campaign_lists_that_and_makes_none(campaign: Campaign) -> None:
    ada = campaign.memberships.get(role="organiser").user
    make_campaign("Other").memberships.create(user=ada, role="organiser")
    bound, free = (with_token("Small-ada", "read", "organise", campaign=one) for one in (campaign, None))
    assert [row["slug"] for row in bound.get(ROOT).json()["results"]] == ["small"]
    assert {row["slug"] for row in free.get(ROOT).json()["results"]} == {"small", "other"}
    refused = bound.post(ROOT, {"name": "Third"}, content_type=JSON)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope")
    assert free.post(ROOT, {"name": "Third"}, content_type=JSON).status_code == 201


def test_a_view_that_says_nothing_is_shut_to_tokens(campaign: Campaign, monkeypatch: Any) -> None:
    monkeypatch.delattr("campaigns.api.campaigns.CampaignsView.needs")
    assert with_token("Small-ada", "read").get(ROOT).status_code == 403
    assert Api(campaign, "Small-ada").client.get(ROOT).status_code == 200
