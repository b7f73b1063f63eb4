"""Fields of many data sets, as documents, topics and judgments."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from campaigns.formats.datasets import document_of, documents_of, judgments_of, topic_of, topics_of
from campaigns.formats.errors import FormatError
from campaigns.formats.topics import DocumentRecord
from tests.campaigns.exchange.site_datasets import GRADES, NEEDS, PAGES, Grade, Need, Page


class Web(NamedTuple):
    doc_id: str
    url: str
    body: bytes
    body_content_type: str


class Article(NamedTuple):
    doc_id: str
    title: str
    abstract: str


class Question(NamedTuple):
    query_id: str
    text: str
    query: str
    narrative: str


class Case(NamedTuple):
    query_id: str
    disease: str
    gene: str

    def default_text(self) -> str:
        return f"{self.disease} {self.gene}"


def test_the_title_is_not_said_twice_and_the_address_ends_the_text() -> None:
    document = document_of(PAGES[0], 1)
    assert isinstance(document, DocumentRecord)
    assert (document.docno, document.title) == ("d1", "Wings of birds")
    assert document.body == "They are hollow.\n\nhttps://example.org/1"


def test_fields_that_stand_by_chance_in_the_text_are_metadata() -> None:
    class Report(NamedTuple):
        doc_id: str
        title: str
        text: str
        lang: str
        year: str

        def default_text(self) -> str:
            return f"{self.title} {self.text}"

    document = document_of(Report("d", "Of pens", "When, in 1998, men spent it.", "en", "1998"), 1)
    assert isinstance(document, DocumentRecord)
    assert (document.body, document.metadata) == (
        "When, in 1998, men spent it.",
        {"lang": "en", "year": "1998"},
    )


def test_a_document_that_is_nothing_but_its_title_has_no_body() -> None:
    document = document_of(PAGES[2], 3)
    assert isinstance(document, DocumentRecord)
    assert (document.title, document.body) == ("A title alone", "")


def test_pages_of_the_web_stay_html_by_their_own_charset() -> None:
    body = '<meta charset="iso-8859-1"><p>Köln'.encode("latin-1")
    pages = [Web("w", "http://a.org", body, "text/html"), Web("x", "", b"plain", "text/plain")]
    document, plain = documents_of(pages, "d")
    assert document.content_type == "text/html"
    assert document.body.endswith("<p>Köln")
    assert document.html == "<p>Köln</p>"
    assert plain.content_type == "text/plain"


def test_abstracts_are_bodies_and_what_no_database_takes_is_marked() -> None:
    [document] = documents_of([Article("a", "T", "nul \0, half \ud800")], "d")
    assert document.body == "nul \ufffd, half \ufffd"


@pytest.mark.parametrize(
    ("record", "title", "description", "narrative"),
    [
        (NEEDS[0], "wings", "How are wings built?", "Bones count."),
        (Question("1", "What is it?", "it", "More."), "it", "What is it?", "More."),
        (Question("1", "What is it?", "", ""), "What is it?", "", ""),
        (Case("1", "cancer", "BRAF"), "cancer BRAF", "", ""),
    ],
)
def test_topics(record: Any, title: str, description: str, narrative: str) -> None:
    topic = topic_of(record, 1)
    assert (topic.title, topic.description, topic.narrative) == (title, description, narrative)


def test_bad_documents_are_all_told_by_their_number_and_none_is_given_after_the_first() -> None:
    documents = documents_of([PAGES[0], Page("", "", "x", ""), PAGES[1], PAGES[0]], "own")
    assert next(documents).docno == "d1"
    with pytest.raises(FormatError) as refused:
        next(documents)
    assert [(error.line, error.field) for error in refused.value.errors] == [(2, "docno"), (4, "docno")]
    with pytest.raises(FormatError, match="own: no document in it"):
        list(documents_of([], "own"))


def test_bad_topics() -> None:
    with pytest.raises(FormatError, match=r"own:3: topic '1' a second time"):
        topics_of([*NEEDS, Need("1", "again", "", "")], "own")
    with pytest.raises(FormatError, match="own: no topic in it"):
        topics_of([], "own")


def test_judgments_follow_the_rules_of_qrels() -> None:
    parsed = judgments_of(GRADES, "own")
    assert parsed.grades == {"1": {"d1": 2, "d2": 0}, "2": {"d3": -2}}
    assert parsed.not_judged == {"2": {"d1"}}
    with pytest.raises(FormatError, match="own:1: a docno is one word"):
        judgments_of([Grade("1", "d 1", 1)], "own")
    with pytest.raises(FormatError, match="own:2: docno 'd1' has grade 1 here and 2 in line 1"):
        judgments_of([Grade("1", "d1", 2), Grade("1", "d1", 1)], "own")
