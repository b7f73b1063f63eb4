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
