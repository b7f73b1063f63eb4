"""The catalogues are in step with the sources, complete, and keep every placeholder."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from babel.messages import Message
from django.conf import settings

from config.messages import (
    SOURCES,
    TRANSLATED_LANGUAGES,
    as_mo,
    as_po,
    missing_translations,
    po_file,
    update_catalogue,
)

EACH = [(language, domain) for language in TRANSLATED_LANGUAGES for domain in SOURCES]
# %(name)s on the server, {name} in the scripts, and tags in both.
HOLDS = re.compile(r"%\(\w+\)\w|\{\w+\}|</?\w+[^>]*>")


def held(words: str) -> list[str]:
    return sorted(HOLDS.findall(words))


def forms(message: Message) -> list[tuple[str, str]]:
    """Each translated form beside the English one that it has to hold as much as."""
    if isinstance(message.id, str):
        return [(message.id, str(message.string))]
    one, many = message.id
    first, *others = list(message.string or "")
    return [(one, first), *((many, other) for other in others)]


def test_every_language_of_the_site_is_kept() -> None:
    assert {code for code, _ in settings.LANGUAGES} == {settings.LANGUAGE_CODE, *TRANSLATED_LANGUAGES}


@pytest.mark.parametrize(("language", "domain"), EACH)
def test_they_are_what_make_messages_would_write(language: str, domain: str) -> None:
    place, catalog = po_file(language, domain), update_catalogue(language, domain)
    assert place.read_bytes() == as_po(catalog), "run make messages"
    assert place.with_suffix(".mo").read_bytes() == as_mo(catalog), "run make messages"


@pytest.mark.parametrize(("language", "domain"), EACH)
def test_nothing_is_left_in_english(language: str, domain: str) -> None:
    catalog = update_catalogue(language, domain)
    assert missing_translations(catalog) == []
    assert [message.id for message in catalog if message.id and message.fuzzy] == []


@pytest.mark.parametrize(("language", "domain"), EACH)
def test_placeholders_and_tags_are_kept(language: str, domain: str) -> None:
    pairs = [pair for message in update_catalogue(language, domain) if message.id for pair in forms(message)]
    assert [(english, said) for english, said in pairs if held(english) != held(said)] == []


@pytest.mark.parametrize(("language", "domain"), EACH)
def test_no_translation_stands_twice_in_one_string(language: str, domain: str) -> None:
    pairs = [pair for message in update_catalogue(language, domain) if message.id for pair in forms(message)]
    assert [said for _, said in pairs if len(said) >= 50 and said[:25] in said[25:]] == []


# After a figure, a placeholder or the end of a tag; a hyphen joins words in German.
SHARE = re.compile(r"(?:[\d>]|\)[sd]|\})(\s*)%%?(?![(\w])")


@pytest.mark.parametrize("domain", SOURCES)
def test_german_percentages_have_a_no_break_space_and_english_ones_none(domain: str) -> None:
    pairs = [pair for message in update_catalogue("de", domain) if message.id for pair in forms(message)]
    assert [english for english, _ in pairs if set(SHARE.findall(english)) - {""}] == []
    assert [german for _, german in pairs if set(SHARE.findall(german)) - {"\u00a0"}] == []


def test_percentages_without_their_space_are_found() -> None:
    said = ["%(share)s%%", "{share} %", "<strong>%(share)s</strong> %%", "mit 95%% der", "95\u00a0%%"]
    assert [SHARE.findall(one) for one in said] == [[""], [" "], [" "], [""], ["\u00a0"]]
    assert SHARE.findall("95-%%-Intervall, %(low)s bis %(high)s") == []


def test_no_string_is_translated_inside_another() -> None:
    """Before Python 3.12, the extraction does not see what stands in an f-string."""
    names = {"_", "gettext", "ngettext", "pgettext", "npgettext", "gettext_lazy", "pgettext_lazy"}
    folders = [Path(settings.BASE_DIR) / folder for folder in ("assess", "campaigns", "config")]
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for words in ast.walk(ast.parse(path.read_text())):
            if isinstance(words, ast.JoinedStr):
                calls = [node.func for node in ast.walk(words) if isinstance(node, ast.Call)]
                assert not names & {call.id for call in calls if isinstance(call, ast.Name)}, path
