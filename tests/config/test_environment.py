from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (environment.boolean, "ture"),
        (environment.whole, "twelve"),
        (environment.whole, "-1"),
        (environment.number, "a while"),
    ],
)
def test_a_malformed_value_names_itself(monkeypatch: pytest.MonkeyPatch, read: object, text: str) -> None:
    monkeypatch.setenv("SOME_SETTING", text)
    with pytest.raises(ImproperlyConfigured, match=f"SOME_SETTING='{text}'"):
        read("SOME_SETTING", 1)  # type: ignore[operator]


def test_good_values_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SETTING", "1")
    assert environment.boolean("SOME_SETTING", False) is True
    assert environment.whole("SOME_SETTING", 5) == 1
    assert environment.number("OTHER_SETTING", 2.5) == 2.5


@pytest.mark.parametrize(
    ("text", "read"),
    [("1000/10s", (1000, 10)), ("60/m", (60, 60)), ("5/2h", (5, 7200)), (" 7/s ", (7, 1)), ("Off", None)],
)
def test_rates_are_read(monkeypatch: pytest.MonkeyPatch, text: str, read: tuple[int, int] | None) -> None:
    monkeypatch.setenv("SOME_SETTING", text)
    assert environment.rate("SOME_SETTING", "1/s") == read


@pytest.mark.parametrize("text", ["", "10", "10/", "0/s", "10/0s", "-1/s", "1e3/s", "10/d", "10 / s", "１/s"])
def test_what_is_no_rate_names_itself(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SOME_SETTING", text)
    with pytest.raises(ImproperlyConfigured, match=f"SOME_SETTING='{text}' is not a rate"):
        environment.rate("SOME_SETTING", "1/s")


PROVIDER = {
    "OPENID_ISSUER": "https://login.example.org/realm/",
    "OPENID_CLIENT_ID": "assess",
    "OPENID_CLIENT_SECRET": "secret",
}


def set_provider(monkeypatch: pytest.MonkeyPatch, **changes: str) -> None:
    for name, value in {**PROVIDER, **changes}.items():
        monkeypatch.setenv(name, value)


def test_an_identity_provider_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.openid_provider() == {}
    set_provider(monkeypatch)
    read = {"issuer": "https://login.example.org/realm", "client_id": "assess", "client_secret": "secret"}
    assert environment.openid_provider() == {**read, "name": "login.example.org"}
    monkeypatch.setenv("OPENID_NAME", "Example University")
    assert environment.openid_provider()["name"] == "Example University"


@pytest.mark.parametrize("missing", PROVIDER)
def test_half_an_identity_provider_is_refused(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    set_provider(monkeypatch, **{missing: " "})
    with pytest.raises(ImproperlyConfigured, match=f"{missing} is not set"):
        environment.openid_provider()


@pytest.mark.parametrize(
    "issuer",
    [
        "login.example.org",
        "http://login.example.org",
        "ftp://login.example.org",
        "https://",
        "https://me@login.example.org",
        "https://login.example.org/?realm=lab",
        "https://login.example.org/" + "x" * 200,
    ],
)
def test_a_malformed_issuer_is_refused(monkeypatch: pytest.MonkeyPatch, issuer: str) -> None:
    set_provider(monkeypatch, OPENID_ISSUER=issuer)
    with pytest.raises(ImproperlyConfigured, match="OPENID_ISSUER="):
        environment.openid_provider()
