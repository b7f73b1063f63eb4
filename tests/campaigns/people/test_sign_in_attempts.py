"""Tries at what guards an account: counted in the database, whatever becomes of Redis."""

from __future__ import annotations

from datetime import timedelta

import pytest
import redis
from django.test import RequestFactory
from django.utils import timezone
from pytest_django import Settings

from campaigns.core import broker
from campaigns.core.rate_limits import address_of, network_of
from campaigns.models import Attempts
from campaigns.people import sign_in_attempts
from tests.campaigns.concurrency import together

pytestmark = pytest.mark.django_db


def tries(times: int, who: str = "ada", what: str = "sign-in") -> list[bool]:
    """Which of them are let through, of three in a span."""
    return [sign_in_attempts.wait(what=what, who=who, most=3, seconds=600) == 0 for _ in range(times)]


def test_so_many_are_let_through_in_a_span() -> None:
    assert tries(5) == [True, True, True, False, False]
    assert 0 < sign_in_attempts.wait(what="sign-in", who="ada", most=3, seconds=600) <= 600


def test_parties_and_things_are_counted_apart() -> None:
    tries(4)
    assert tries(1, "grace") == tries(1, what="reset") == [True]


def test_after_the_span_it_begins_again() -> None:
    tries(4)
    Attempts.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert tries(4) == [True, True, True, False]


def test_a_clock_that_was_set_back_locks_nobody_out() -> None:
    tries(4)
    Attempts.objects.update(ends_at=timezone.now() + timedelta(hours=3))
    assert tries(4) == [True, True, True, False]


def test_success_forgets() -> None:
    tries(4)
    sign_in_attempts.forget(what="sign-in", who="ada")
    assert tries(1) == [True]


@pytest.mark.django_db(transaction=True)
def test_two_at_once_are_both_counted() -> None:
    together([lambda: tries(1)] * 8)
    assert Attempts.objects.get().tries == 8


def test_it_holds_while_redis_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = redis.Redis.from_url("redis://127.0.0.1:1", socket_connect_timeout=0.5, retry=None)
    monkeypatch.setattr(broker, "_client", nowhere)
    assert tries(4) == [True, True, True, False]


def test_what_is_over_is_pruned_and_neither_names_nor_addresses_are_kept() -> None:
    tries(1, "ada")
    tries(1, "grace")
    assert not Attempts.objects.filter(key__contains="ada").exists()
    Attempts.objects.filter(key=sign_in_attempts._key("sign-in", "ada")).update(ends_at=timezone.now())
    sign_in_attempts.prune_attempts()
    assert [row.key for row in Attempts.objects.all()] == [sign_in_attempts._key("sign-in", "grace")]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1:4000", "192.0.2.1:4001", True),
        ("[2001:db8::1]:4000", "[2001:db8::1]:4001", True),
        ("[2001:db8::1]", "2001:db8::1", True),
        ("unknown", "unknown", True),
    ],
)
def test_networks_are_counted_as_one_customer_has_them(
    settings: Settings, one: str, other: str, same: bool
) -> None:
    settings.TRUSTED_PROXIES = 1
    found = [
        network_of(RequestFactory().get("/", headers={"X-Forwarded-For": f"made up, {seen}"}))
        for seen in (one, other)
    ]
    assert (found[0] == found[1]) is same


def test_the_header_is_believed_as_far_as_proxies_are_ours(settings: Settings) -> None:
    request = RequestFactory().get("/", headers={"X-Forwarded-For": "198.51.100.1, 192.0.2.1"})
    assert address_of(request) == "127.0.0.1"
    settings.TRUSTED_PROXIES = 1
    assert address_of(request) == "192.0.2.1"
    settings.TRUSTED_PROXIES = 3
    assert address_of(request) == "127.0.0.1"
