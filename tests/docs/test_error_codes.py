"""docs/error-codes.md has every code of a refusal, with its status and sentences, as the code has them."""

import re

import pytest

from config.embedded.machine import PROJECT
from tests.docs.generated.error_codes import error_codes
from tests.docs.generated.remedies import REMEDIES, REMEDY_OF, remedy_of

SCHEMA = (PROJECT / "campaigns" / "api" / "schema.yaml").read_text()
API = (PROJECT / "docs" / "api.md").read_text()


def test_each_code_has_one_remedy() -> None:
    codes = {one.code for one in error_codes()}
    assert all(map(remedy_of, codes))
    assert set(REMEDY_OF) <= codes
    assert len(REMEDY_OF) == sum(len(given.split()) for given in REMEDIES.values())


def test_error_codes_page_has_the_codes_of_other_pages() -> None:
    codes = {one.code for one in error_codes()}
    tables = re.findall(r"^\| [\d, ]+ \| (`.*?`) \|", API, re.MULTILINE)
    named = {code for cell in tables for code in re.findall(r"`(\w+)`", cell)}
    assert len(named) > 10
    assert named <= codes
    assert set(re.findall(r"^ +code: (\w+)$", SCHEMA, re.MULTILINE)) <= codes


@pytest.mark.parametrize(
    ("code", "status", "sentence"),
    [
        # By a class of its own, a dictionary, a caller's arguments, a derived class, and the framework.
        ("temporary_password", 403, "your password is temporary: sign in on the pages and choose your own"),
        ("nothing_to_do", 409, "none of these invitations is open"),
        ("released", 409, "topic … is released already"),
        ("outdated", 409, "the topic has since been revised; check the newer text and save again"),
        ("throttled", 429, "Request was throttled."),
    ],
)
def test_error_codes_are_found_however_they_are_made(code: str, status: int, sentence: str) -> None:
    rows = {(one.code, one.status, one.sentence) for one in error_codes()}
    assert (code, status, sentence) in rows
