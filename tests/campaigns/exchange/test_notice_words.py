"""Notices about files follow the reader's language, whichever reader of files makes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from django.utils import translation

from campaigns.exchange.notice_words import notice_text
from campaigns.formats import qrels
from campaigns.formats.errors import notice_rows
from campaigns.formats.runs import report
from campaigns.pages.sentences.runs import noticed_text
from tests.campaigns.factories import Api, make_campaign

FORMATS = sorted(Path("campaigns/formats").rglob("*.py"))
# Names alone, and sentences that the caller made.
NO_WORDS = re.compile(r"[\W\d_]*(?:name)?[\W\d_]*")


def filled(text: str) -> str:
    values = {"{names}": "name", "{count}": "3", "{records}": "4 documents"}
    for place, value in values.items():
        text = text.replace(place, value)
    return text


def piece_of(module: ModuleType, part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    name = ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""
    return str(getattr(module, name)) if name.isupper() else "5"


def texts_in(module: ModuleType, call: ast.Call) -> Iterator[str]:
    for part in call.args[:2]:
        if isinstance(part, ast.Constant):
            yield str(part.value)
        elif isinstance(part, ast.JoinedStr):
            yield "".join(piece_of(module, one) for one in part.values)
        elif isinstance(part, ast.Starred):
            yield from getattr(module, ast.unparse(part.value))
        elif isinstance(part, ast.Name) and part.id.isupper():
            yield getattr(module, part.id)


def notices_of(path: Path) -> Iterator[str]:
    module = import_module(".".join(path.with_suffix("").parts))
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        whose = ast.unparse(call.func.value)
        if call.func.attr in ("add", "add_foreign") and re.search("notice", whose):
            yield from texts_in(module, call)
        elif call.func.attr == "unread":
            yield "field “5” not read"
            yield from (f"In 3 of 4 documents. {text}" for text in [*texts_in(module, call)][1:])


def test_every_notice_of_readers_has_words_in_another_language() -> None:
    said = {filled(text) for path in FORMATS for text in notices_of(path)}
    for sentences in (qrels._SENTENCES, report._SENTENCES):
        counts = dict.fromkeys(sentences, 2) | {"longest_list": 7}
        said |= {text for row in notice_rows(counts, sentences) for text in (row["what"], row["detail"])}
    assert len(said) > 80
    with translation.override("de"):
        untranslated = [text for text in said if not NO_WORDS.fullmatch(text) and notice_text(text) == text]
    assert sorted(untranslated) == []


def test_values_of_a_notice_stay_as_they_are() -> None:
    with translation.override("de"):
        assert notice_text("field “comments (3)” not read") == "Feld „comments (3)“ nicht gelesen"
        assert notice_text("In 1,234 of 5,678 documents.") == "In 1,234 von 5,678 Dokumenten."
        detail = "In 3 of 3 documents. It numbers other documents."
        assert notice_text(detail) == "In 3 von 3 Dokumenten. Es nummeriert andere Dokumente."
        assert notice_text("Not named here: {0} \\1 %s") == "Hier nicht genannt: {0} \\1 %s"
        assert notice_text("what nobody says") == "what nobody says"
    assert notice_text(detail) == detail


@pytest.mark.django_db
def test_reports_follow_the_reader_and_stored_notices_do_not() -> None:
    campaign = make_campaign(opened=False)
    ada = Api(campaign, "Small-ada")
    content = b"# first\n1 Q0 a 1 2 late\n"
    with translation.override("en"):
        ada.client.cookies.load({"django_language": "de"})
        reply = ada.upload("runs/", content, "late").json()
    assert {row["what"] for row in reply["noticed"]} >= {"Kommentarzeilen"}
    run = campaign.runs.get(tag="late")
    assert "comment lines" in {row["what"] for row in run.noticed}
    with translation.override("de"):
        assert "Kommentarzeilen" in {re.sub("<.*?>| \\(.*", "", noticed_text(row)) for row in run.noticed}
