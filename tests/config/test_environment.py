from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment
from config.embedded.cli import serve
from tests.docs.reference.test_reference_tables import SETTINGS, sources, table


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (environment.boolean, "ture"),
        (environment.whole, "twelve"),
        (environment.whole, "-1"),
        (environment.number, "a while"),
        (environment.number, "-5"),
        (environment.number, "nan"),
        (environment.number, "inf"),
        (environment.port, "-1"),
        (environment.port, "65536"),
        (environment.log_level, "LOUD"),
        (environment.log_level, "info"),
        (environment.time_zone, "Europe/Atlantis"),
        (environment.time_zone, "Europe"),
        (environment.time_zone, "../UTC"),
        (environment.time_zone, ""),
    ],
)
def test_a_malformed_value_names_itself(monkeypatch: pytest.MonkeyPatch, read: object, text: str) -> None:
    monkeypatch.setenv("SOME_SETTING", text)
    with pytest.raises(ImproperlyConfigured, match=f"SOME_SETTING='{text}'"):
        read("SOME_SETTING", 1)  # type: ignore[operator]


def readings_of_numbers() -> Iterator[tuple[str, Callable[[], object]]]:
    """Settings with a number as default, by docs/settings.md, each with its readers in the code."""
    numbers = {row[0].strip("`") for row in table(SETTINGS) if row[1].strip("`").isdecimal()}
    for call in (node for source in sources() for node in ast.walk(ast.parse(source))):
        match call:
            case ast.Call(args=[ast.Constant(value=str(name)), default], func=ast.Name(id=reader)) if (
                name in numbers
            ):
                options = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
                read = getattr(environment, reader)
                numbers.discard(name)
                yield name, partial(read, name, ast.literal_eval(default), **options)
    assert not numbers, "these are read otherwise"


@pytest.mark.parametrize("text", ["-1", "-0.5", "nan", "inf", "1e999", "many", ""])
def test_every_number_setting_refuses_what_is_no_count(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    for name, read in readings_of_numbers():
        monkeypatch.setenv(name, text)
        with pytest.raises(ImproperlyConfigured, match=f"{name}='{text}' is not"):
            read()


def test_thread_numbers_refuse_none(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = {name: read for name, read in readings_of_numbers() if name.endswith("_THREADS")}
    assert set(threads) == {"WEB_THREADS", "UPLOAD_THREADS"}
    for name, read in threads.items():
        monkeypatch.setenv(name, "0")
        with pytest.raises(ImproperlyConfigured, match=f"{name}='0' is not a whole number of at least 1"):
            read()


def test_good_values_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SETTING", "1")
    assert environment.boolean("SOME_SETTING", False) is True
    assert environment.whole("SOME_SETTING", 5) == 1
    assert environment.number("SOME_SETTING", 2.5) == 1
    assert environment.port("SOME_SETTING", 8000) == 1
    assert environment.number("OTHER_SETTING", 2.5) == 2.5


def test_serve_names_a_malformed_port(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", "-5")
    assert serve([]) == 1
    assert capsys.readouterr().err == "PORT='-5' is not a port: a whole number from 0 to 65535\n"


def test_levels_and_time_zones_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_LEVEL", "INFO")
    assert environment.log_level("SOME_LEVEL", "WARNING") == "INFO"
    monkeypatch.setenv("SOME_ZONE", " Europe/Berlin ")
    assert environment.time_zone("SOME_ZONE", "UTC") == "Europe/Berlin"


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
