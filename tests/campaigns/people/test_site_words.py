from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from pytest_django import Settings


@pytest.mark.parametrize(
    "password",
    ["Assess2026!", "trec-assessor", "relevance_judgment", "JudgmentPool99", "kampagne-2026", "qrels qrels"],
)
def test_a_password_of_the_sites_words_is_refused(password: str) -> None:
    with pytest.raises(ValidationError) as caught:
        validate_password(password)
    assert [one.code for one in caught.value.error_list] == ["password_of_site_words"]


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "assess the horse",
        "9284671530882",
        "-- -- -- -- --",
        "judgment of a battery",
        "パスワードです。。",
    ],
)
def test_any_other_composition_is_allowed(password: str) -> None:
    validate_password(password)


def test_the_names_of_the_sites_hosts_count_as_its_words(settings: Settings) -> None:
    validate_password("nachtigall.2026")
    settings.ALLOWED_HOSTS = ["assess.nachtigall.example"]
    with pytest.raises(ValidationError):
        validate_password("nachtigall.2026")


def test_a_password_like_the_username_is_refused() -> None:
    with pytest.raises(ValidationError) as caught:
        validate_password("margaret1936", User(username="margaret"))
    assert [one.code for one in caught.value.error_list] == ["password_too_similar"]


def test_long_passwords_are_taken_as_they_are(ada: User) -> None:
    password = " Ünder the 🐎 " * 20
    validate_password(password)
    ada.set_password(password)
    assert ada.check_password(password)
    assert not ada.check_password(password.strip())
    assert not ada.check_password(password[:-1])


@pytest.fixture
def ada() -> User:
    return User(username="ada")
