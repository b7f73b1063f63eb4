"""How often one may ask: counted for each token, account and address apart, on the real broker."""

from __future__ import annotations

import secrets
import time
from typing import Any

import pytest
import redis
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from campaigns.core import broker, rate_limits
from campaigns.models import Campaign
from campaigns.people import tokens
from tests.campaigns.factories import Api, holding, make_campaign, with_token

pytestmark = pytest.mark.django_db

PATH = "/api/v1/campaigns/small/"
SPAN = 3000


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture(autouse=True)
def three_each(settings: Settings) -> None:
    settings.THROTTLE_TOKEN = settings.THROTTLE_SESSION = settings.THROTTLE_ANONYMOUS = (3, SPAN)


def address() -> dict[str, Any]:
    """One in a network that no other test comes from."""
    return {"REMOTE_ADDR": f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"}


def statuses(client: Client, times: int, path: str = PATH, **more: Any) -> list[int]:
    return [client.get(path, **more).status_code for _ in range(times)]


def test_one_token_asks_so_often_and_another_is_not_touched(campaign: Campaign) -> None:
    first, second = with_token("Small-ada", "read"), with_token("Small-ada", "read")
    assert statuses(first, 4) == [200, 200, 200, 429]
    assert statuses(second, 1) == [200]
    assert Api(campaign, "Small-ada").get("").status_code == 200


def test_who_asks_too_often_is_told_until_when(campaign: Campaign) -> None:
    program = with_token("Small-ada", "read")
    statuses(program, 3)
    reply = program.get(PATH)
    assert reply.status_code == 429
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.json()["code"] == "throttled"
    assert SPAN - 60 <= int(reply.headers["Retry-After"]) <= SPAN


def test_after_the_span_it_goes_on(campaign: Campaign) -> None:
    program = with_token("Small-ada", "read")
    statuses(program, 4)
    for name in broker.broker().scan_iter("tries:token:*"):
        # As if the time had passed.
        broker.broker().delete(name)
    assert statuses(program, 1) == [200]


def test_an_account_is_counted_over_all_its_sessions(campaign: Campaign) -> None:
    both = [Api(campaign, "Small-grace").client for _ in range(2)]
    assert [both[n % 2].get(PATH).status_code for n in range(4)] == [200, 200, 200, 429]
    assert Api(campaign, "Small-alan").get("").status_code == 200


def test_an_address_is_counted_where_nobody_is_known(campaign: Campaign) -> None:
    here, there = address(), address()
    assert statuses(Client(), 4, "/api/v1/docs/", **here) == [200, 200, 200, 429]
    assert statuses(Client(), 1, "/api/v1/docs/", **there) == [200]


def test_who_is_refused_is_counted_too(campaign: Campaign) -> None:
    here = address()
    assert statuses(Client(), 4, **here) == [401, 401, 401, 429]
    assert statuses(with_token("Small-ada", "judge"), 4) == [403, 403, 403, 429]
    assert statuses(with_token("Small-ada", "read"), 4, "/api/v1/campaigns/other/") == [404, 404, 404, 429]


def through(*passed: str) -> dict[str, Any]:
    """As the last of our proxies hands a request on."""
    return {"REMOTE_ADDR": "10.0.0.1", "headers": {"X-Forwarded-For": ", ".join(passed)}}


def asked_through(*passed: str) -> int:
    return Client().get("/api/v1/docs/", **through(*passed)).status_code


def test_behind_proxies_an_address_is_what_the_outermost_of_ours_saw(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 2
    one, other = (address()["REMOTE_ADDR"] for _ in range(2))
    made_up = [secrets.token_hex(4) for _ in range(4)]
    assert [asked_through(said, one, "10.0.0.2") for said in made_up] == [200, 200, 200, 429]
    assert asked_through(one, other, "10.0.0.2") == 200


def test_without_proxies_the_header_is_not_believed(settings: Settings) -> None:
    broker.broker().delete("tries:address:10.0.0.1")
    assert [asked_through(secrets.token_hex(4)) for _ in range(4)] == [200, 200, 200, 429]
    settings.TRUSTED_PROXIES = 2
    # Too few have passed it on: a client reached the site past the proxies.
    assert asked_through(secrets.token_hex(4)) == 429


def test_who_tries_tokens_is_stopped_and_others_there_go_on(campaign: Campaign) -> None:
    here = address()
    wrong = holding("assess_" + "x" * tokens.LENGTH)
    assert statuses(wrong, 4, **here) == [401, 401, 401, 429]
    assert statuses(with_token("Small-ada", "read"), 1, **here) == [200]


def test_rates_can_be_switched_off(campaign: Campaign, settings: Settings) -> None:
    settings.THROTTLE_TOKEN = None
    assert set(statuses(with_token("Small-ada", "read"), 10)) == {200}


@pytest.fixture
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = redis.Redis.from_url("redis://127.0.0.1:1", socket_connect_timeout=0.5, retry=None)
    monkeypatch.setattr(broker, "_client", nowhere)
    monkeypatch.setattr(rate_limits, "_left_alone_until", 0.0)


@pytest.mark.usefixtures("no_broker")
def test_without_a_broker_judging_goes_on_and_the_log_says_so_once(
    campaign: Campaign, caplog: pytest.LogCaptureFixture
) -> None:
    program = with_token("Small-grace", "judge")
    docno = program.get(f"{PATH}next/", {"topic": "1"}).json()["docno"]
    act = {"id": "6f1b7a3e-0f6e-4d6e-9d6c-0d2f6f6f6f6f", "topic": "1", "docno": docno, "grade": 1}
    replies = [program.post(f"{PATH}judgments/", act, content_type="application/json") for _ in range(9)]
    assert [reply.status_code for reply in replies] == [201] + [200] * 8
    said = [record.getMessage() for record in caplog.records if "not counted" in record.getMessage()]
    assert len(said) == 1


def test_two_processes_share_the_count(campaign: Campaign) -> None:
    """What another process has counted is in the broker, by the token's id."""
    user = User.objects.get(username="Small-ada")
    token, secret = tokens.make(user=user, name="shared", scopes=["read"])
    broker.broker().set(f"tries:token:{token.id}", 3, ex=60)
    assert statuses(holding(secret), 1) == [429]


def test_a_clock_that_was_set_back_locks_nobody_out() -> None:
    who = secrets.token_hex(8)
    wish: dict[str, Any] = {"what": "tests", "who": who, "most": 1, "seconds": 10}
    assert [rate_limits.wait(**wish) > 0 for _ in range(2)] == [False, True]
    # What is left of the span as Redis sees it after three hours back.
    broker.broker().expire(f"tries:tests:{who}", 3 * 3600)
    assert rate_limits.wait(**wish) == 0


def passed(who: str, times: int, most: int) -> int:
    waits = [rate_limits.wait(what="token", who=who, most=most, seconds=SPAN) for _ in range(times)]
    return waits.count(0)


def test_large_limits_are_counted_in_lots_and_still_end_where_they_should() -> None:
    assert passed(secrets.token_hex(8), 350, most=300) == 300


def test_a_lot_is_one_message_to_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    real = broker.broker().register_script

    def counted(script: str) -> Any:
        calls.append(script)
        return real(script)

    monkeypatch.setattr(broker.broker(), "register_script", counted)
    passed(secrets.token_hex(8), 30, most=1000)
    assert len(calls) == 3


def test_several_processes_reach_a_limit_early_rather_than_late() -> None:
    who, most, processes = secrets.token_hex(8), 300, 5
    own: list[dict[str, Any]] = [{} for _ in range(processes)]
    allowed = 0
    for turn in range(400):
        rate_limits._lots = own[turn % processes]
        allowed += passed(who, 1, most)
    assert most - processes * (most // 100) < allowed <= most


def test_a_lot_ends_with_its_span() -> None:
    who = secrets.token_hex(8)
    assert passed(who, 1, most=300) == 1
    [lot] = [lot for name, lot in rate_limits._lots.items() if name.endswith(who)]
    assert (lot.left, lot.take()) == (2, True)
    lot.until = time.monotonic()
    assert not lot.take()
