"""Files as people have them: recognition, REST and command give one verdict and name what is not read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.db import transaction

from campaigns.models import Campaign, Document, Judgment, Topic
from campaigns.models.packed import unpack_ids
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.api.test_archives import archived
from tests.campaigns.api.test_columns import KINDS, command
from tests.campaigns.factories import Api, make_user
from tests.campaigns.formats.conversion.document_files import parquet
from tests.campaigns.formats.conversion.foreign_files import RUNS

pytestmark = pytest.mark.django_db

Stored = list[tuple[Any, ...]]


class OddFile(NamedTuple):
    """A file, the first values of its records in the campaign or words of its refusal, the names that the
    report has, and its kind by recognition, where that is not the kind it is given as."""

    content: str | bytes
    verdict: Stored | str
    noticed: tuple[str, ...] = ()
    recognised: str = ""

    @property
    def data(self) -> bytes:
        return self.content.encode() if isinstance(self.content, str) else self.content


def lines(*records: Any) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


SEGMENT = {"docid": "m#0", "url": "u", "title": "T", "headings": "H", "segment": "The words", "end_char": 9}
ARTICLE = {
    "id": "w1",
    "title": "T",
    "contents": [
        {"type": "kicker", "content": "World", "mime": "text/plain"},
        {"type": "sanitized_html", "content": "<b>One</b>", "mime": "text/html"},
    ],
}
DUMPED = {"_index": "i", "_id": "7", "_source": {"headline": "H", "body": "words"}}
PACKED = gzip.compress(lines(*({"docno": f"d{n}", "text": str(n * 7919)} for n in range(500))).encode())
NO_DOCNO = "choose which is the docno (columns"
DOCUMENTS = {
    "segments of MS MARCO": OddFile(lines(SEGMENT), [("m#0", "T", "The words")]),
    "Washington Post": OddFile(
        lines(ARTICLE), [("w1", "T", "<p>World</p>\n<p><b>One</b></p>")], ("field “contents.type” not read",)
    ),
    "dump of Elasticsearch": OddFile(lines(DUMPED), [("7", "H", "words")]),
    "orders for Elasticsearch": OddFile(
        lines({"index": {"_id": "7"}}, {"title": "H", "body": "words"}), f"index, title, body: {NO_DOCNO}"
    ),
    "answer of Elasticsearch": OddFile(
        json.dumps({"took": 1, "hits": {"hits": [DUMPED]}}), f"columns took, hits: {NO_DOCNO}"
    ),
    "answer of Solr": OddFile(
        json.dumps({"response": {"docs": [{"id": "1", "text_t": ["Body"]}]}}),
        "a JSON object with records under “response.docs”; write one record a line",
        recognised="unknown",
    ),
    "texts by docno": OddFile('{"d1": "one text", "d2": "another"}', f"columns d1, d2: {NO_DOCNO}"),
    "CORD-19": OddFile(
        "cord_uid,sha,title,doi,abstract\nu1,s,T1,10.1,Words\nu2,s,T2,10.2,\n",
        [("u1", "T1", "Words"), ("u2", "T2", "")],
        ("documents without text",),
    ),
    "index of pandas": OddFile(
        ",docno,title,text\n0,d1,A,words\n",
        [("d1", "A", "words")],
        ("metadata fields left out: too many or too long",),
    ),
    "NaN in JSON lines": OddFile(
        '{"docno": "d1", "title": NaN, "text": "words"}\n{"docno": "d2", "title": "B", "text": NaN}\n',
        [("d1", "", "words"), ("d2", "B", "")],
        ("documents without text",),
    ),
    "cells without value in Parquet": OddFile(
        parquet({"docno": ["d1", "d2"], "title": [None, "B"], "text": ["words", None]}),
        [("d1", "", "words"), ("d2", "B", "")],
        ("documents without text",),
    ),
    "docno without value in Parquet": OddFile(
        parquet({"docno": ["d1", None], "text": ["words", "more"]}), "row 2 no docno"
    ),
    "numbers as decimals in CSV": OddFile("docno,text\n1.0,words\n", [("1.0", "", "words")]),
    "CSV of Excel": OddFile(
        '\ufeffid;title;text;\r\n1;A;words;\r\n2;B;"two\r\nlines";\r\n',
        [("1", "A", "words"), ("2", "B", "two\r\nlines")],
    ),
    "cell too many": OddFile("id;title;body\n1;A;one;\n", "row 2 4 columns where the first row has 3"),
    "Latin-1": OddFile(
        ("docno,text\n" + "d1,words\n" * 1500 + "d2,Köln\n").encode("latin-1"),
        "line 1,502 has a byte that is not UTF-8 (0xf6)",
    ),
    "docno twice": OddFile(
        "docno,text\nd1,words\nd2,more\nd1,again\n", "row 4 docno 'd1' a second time (first in row 2)"
    ),
    "JSON lines cut off": OddFile('{"docno": "d1", "text": "words"}\n{"docno": "d2", "te', "2: not JSON"),
    "JSON lines with commas": OddFile('{"docno": "d1", "text": "a"},\n' * 2, "1: not JSON: Extra data"),
    "quote without end": OddFile('docno,text\nd1,"words\nd2,more\n', "row 2 is no row of CSV"),
    "gzip cut off": OddFile(PACKED[:-400], "the gzip file is cut short"),
    "header alone": OddFile("docno,title,text\n", "no document in it"),
}
TURN = {"number": 1, "raw_utterance": "What is it?"}
NOT_TOPICS = "not a topics file that is read here"
TOPICS = {
    "header": OddFile(
        "qid\tquery\n1\twhat is a lake\n2\thow deep\n",
        [("1", "what is a lake"), ("2", "how deep")],
        ("header line",),
    ),
    "BEIR": OddFile(lines({"_id": "1", "text": "lakes", "metadata": {"url": "u"}}), [("1", "lakes")]),
    "CAsT": OddFile(json.dumps([{"number": 31, "title": "t", "turn": [TURN]}]), [("31", "t")]),
    "columns of pandas": OddFile(
        json.dumps({"query": {"0": "a b"}, "query_id": {"0": 19}}),
        "JSON by columns, as pandas writes it; write one object a row",
        recognised="unknown",
    ),
    "colons": OddFile("1:what is a lake\n2:how deep\n", f"1: {NOT_TOPICS}", recognised="unknown"),
    "mark and CR LF": OddFile("\ufeff1\tlakes\r\n2\trivers\r\n", [("1", "lakes"), ("2", "rivers")]),
    "number twice": OddFile("1\tlakes\n2\trivers\n1\tseas\n", "3: topic '1' a second time"),
    "no title": OddFile("1\tlakes\n2\t\n", "2: topic '2' has neither title nor description"),
    "title without value": OddFile(
        parquet({"qid": [1, 2], "query": ["lakes", None]}), "row 2 topic '2' has neither title nor"
    ),
    "numbers as floats": OddFile(parquet({"qid": [1.0], "query": ["lakes"]}), [("1", "lakes")]),
    "number of a half": OddFile(parquet({"qid": [1.5], "query": ["lakes"]}), "row 1 no topic"),
}
JUDGED = {"qid": "1", "docid": "d1", "judgment": 1, "reason": "It is about lakes"}
UMBRELA = {"query": "lakes", "passage": "words", "prediction": "##final score: 1", "judgment": 1}
NOT_WHOLE = "is not a whole number"
QRELS = {
    "three columns": OddFile("1 d1 1\n1 d2 0\n2 d1 1\n", [("1", "d1", 1), ("1", "d2", 0), ("2", "d1", 1)]),
    "judge with reasons": OddFile(lines(JUDGED), [("1", "d1", 1)], ("field “reason” not read",)),
    "UMBRELA": OddFile(lines(UMBRELA), f"judgment: {NO_DOCNO}", recognised="documents"),
    "by subtopics": OddFile(
        "1 1 d1 1\n1 2 d1 0\n1 1 d2 0\n",
        "2: docno 'd1' has grade 0 here and 1 in line 1, in topic '1'; the second column is not 0",
    ),
    "whole decimals": OddFile("1 0 d1 1.0\n1 0 d2 0.0\n", [("1", "d1", 1), ("1", "d2", 0)]),
    "half a grade": OddFile("1 0 d1 1.0\n1 0 d2 0.5\n", f"2: grade '0.5' {NOT_WHOLE}"),
    "half a grade in nested JSON": OddFile(
        '{"1": {"d1": 0.5}}', f"row 1 grade '0.5' {NOT_WHOLE}", recognised="run"
    ),
    "cell without grade": OddFile("topic,docno,relevance\n1,d1,1\n1,d2,\n", "row 3 no grade"),
    "NaN for a grade": OddFile("qid,docno,rel\n1,d1,1\n1,d2,NaN\n", f"row 3 grade 'NaN' {NOT_WHOLE}"),
    "word for a grade": OddFile("qid,docno,label\n1,d1,good\n", f"row 2 grade 'good' {NOT_WHOLE}"),
    "floats of pandas": OddFile(
        parquet({"topic": [1.0], "docno": ["d1"], "relevance": [1.0]}), [("1", "d1", 1)]
    ),
    "topics as decimals": OddFile("topic,docno,relevance\n1.0,d1,1.0\n", "2: the campaign has no topic 1.0"),
    "line twice": OddFile("1 0 d1 1\n1 0 d1 1\n", [("1", "d1", 1)], ("repeated lines",)),
    "two grades": OddFile("qid,docno,rel\n1,d1,1\n1,d1,0\n", "row 3 docno 'd1' has grade 0 here and 1 in"),
    "not judged": OddFile("1 0 d1 1\n1 0 d2 -1\n", [("1", "d1", 1)], ("grade -1",)),
    "prels": OddFile("1 d1 1 1 0.5\n", "1: this looks like a prels file, not qrels", recognised="prels"),
    "index of pandas": OddFile(",query_id,doc_id,relevance,iteration\n0,1,d1,1,0\n", [("1", "d1", 1)]),
    "header of columns": OddFile("qid iter docno rel\n1 0 d1 1\n", [("1", "d1", 1)], ("header line",)),
}
PYTERRIER = b"qid,docid,docno,rank,score,query\n1,0,d1,0,9.5,lakes\n1,1,d2,1,8.25,lakes\n"
HITS = [{"docid": "d1", "score": 2.5}, {"docid": "d2", "score": 1.5}]
BOTH = [("1", "d1"), ("1", "d2")]
NOT_DECIMAL = "is not a decimal number"
OTHER_TAGS = "1 Q0 d1 1 3.5 x\n1 Q0 d2 2 2.5 y\n"
RUN = {
    "MS MARCO": OddFile(
        "1\td1\t1\n1\td2\t2\n2\td1\t1\n", [*BOTH, ("2", "d1")], ("ranks in place of scores",)
    ),
    "ColBERT": OddFile("1\td1\t1\t12.5\n1\td2\t2\t11.5\n", BOTH),
    "PyTerrier": OddFile(
        gzip.compress(PYTERRIER), BOTH, ("field “docid” not read", "field “query” not read")
    ),
    "MTEB": OddFile(
        RUNS["mteb.json"]({"1": {"d2": 0.25, "d1": 1.5}}),
        BOTH,
        ("field “mteb_model_meta.revision” not read",),
    ),
    "lists of docnos": OddFile('{"1": ["d1", "d2"]}', BOTH),
    "no names of columns": OddFile("1,d1,2.5\n1,d2,1.5\n", BOTH),
    "mark and CR LF": OddFile(
        "\ufeff1 Q0 d1 1 3.5 x\r\n1 Q0 d2 2 2.5 x\r\n", BOTH, ("byte order mark", "lines that end with CR LF")
    ),
    "two tags": OddFile(OTHER_TAGS, BOTH, ("tags",)),
    "header": OddFile("qid Q0 docno rank score tag\n1 Q0 d1 1 3.5 x\n", [("1", "d1")], ("header line",)),
    "no tag": OddFile("1 Q0 d1 1 3.5\n", "1: 5 columns where a run has 6"),
    "infinity": OddFile("1 Q0 d1 1 3e-05 x\n1 Q0 d2 2 inf x\n", f"2: score 'inf' {NOT_DECIMAL}"),
    "decimal comma": OddFile("1 Q0 d1 1 3,5 x\n", f"1: score '3,5' {NOT_DECIMAL}"),
    "NaN": OddFile("qid,docno,score\n1,d1,1\n1,d2,NaN\n", f"row 3 score 'NaN' {NOT_DECIMAL}"),
    "cell without score": OddFile(
        parquet({"qid": ["1", "1"], "docno": ["d1", "d2"], "score": [1.5, None]}), "row 2 no score"
    ),
    "docno twice": OddFile("1 Q0 d1 1 3.5 x\n1 Q0 d1 2 2.5 x\n", "2: docno 'd1' a second time in topic '1'"),
    "line cut off": OddFile("1 Q0 d1 1 3.5 x\n1 Q0 d2 2", "2: 4 columns where a run has 6"),
    "JSON cut off": OddFile('{"1": {"d1": 1.5, "d2"', "no JSON: parse error: premature EOF"),
    "hits in nested JSON": OddFile(
        json.dumps({"1": HITS}),
        "1: this looks like a JSON object with records under “1”; write one record a line, not a run",
        recognised="unknown",
    ),
    "candidates to rerank": OddFile(
        lines({"query": {"qid": "1"}, "candidates": HITS}),
        "1: this looks like a JSON object with records under “candidates”; write one record a line, not a",
        recognised="unknown",
    ),
    "features to learn from": OddFile(
        "1 qid:1 1:0.5 2:0.1 # d1\n", f"1: score '#' {NOT_DECIMAL}", recognised="unknown"
    ),
}
FILES = [
    (kind, name)
    for kind, files in (("documents", DOCUMENTS), ("topics", TOPICS), ("qrels", QRELS), ("run", RUN))
    for name in files
]
BY_KIND = {"documents": DOCUMENTS, "topics": TOPICS, "qrels": QRELS, "run": RUN}


@pytest.fixture
def campaign() -> Campaign:
    return campaign_services.create(organiser=make_user("ada"), name="Fresh")


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "ada")


def records(kind: str, campaign: Campaign) -> Stored:
    """The first values of each record, in order."""
    if kind == "documents":
        return [*Document.objects.order_by("docno").values_list("docno", "title", "body")]
    if kind == "topics":
        return [*Topic.objects.order_by("number").values_list("number", "title")]
    if kind == "qrels":
        fields = ("topic__number", "document__docno", "grade")
        return sorted(Judgment.objects.values_list(*fields))
    return [
        (topic.number, docno)
        for topic in Topic.objects.order_by("number")
        for packed in topic.rankings.values_list("documents", flat=True)
        for docno in docnos_of(unpack_ids(packed).tolist())
    ]


def docnos_of(documents: list[int]) -> list[str]:
    by_id = Document.objects.in_bulk(documents)
    return [by_id[document].docno for document in documents]


@pytest.mark.parametrize(("kind", "name"), FILES)
def test_odd_files_have_one_verdict_on_all_doors(
    kind: str, name: str, ada: Api, campaign: Campaign, tmp_path: Path
) -> None:
    odd = BY_KIND[kind][name]
    _, _, _, address, its_command, _ = KINDS[kind]
    if kind in ("run", "qrels"):
        assert ada.upload("topics/", b"1\tlakes in winter\n2\trivers\n", "t.tsv").status_code == 201
    before = records(kind, campaign)
    found = ada.upload("recognition/", odd.data, "file", size=len(odd.data)).json()
    assert found["kind"] == (odd.recognised or kind)
    # The command meets the campaign as it was.
    with transaction.atomic():
        reply = ada.upload(address, odd.data, "file")
        by_request = records(kind, campaign)
        transaction.set_rollback(True)
    said = command(its_command, campaign, tmp_path / "file", odd.data)
    assert records(kind, campaign) == by_request
    if isinstance(odd.verdict, str):
        assert (reply.status_code, by_request) == (400, before)
        assert odd.verdict in refusal_of(reply)
        assert odd.verdict in said
    else:
        assert (reply.status_code, by_request) == (201, odd.verdict), reply.content
        noticed = {row["what"] for row in reply.json()["noticed"]}
        assert noticed >= set(odd.noticed)
        assert [what for what in odd.noticed if what not in said] == []


def refusal_of(reply: Any) -> str:
    """The errors of a request, each as a command shows it."""
    return "\n".join(
        f"{error['line']}: {error['detail']}" if error.get("line") else error["detail"]
        for error in reply.json()["errors"]
    )


TOGETHER = {
    "documents": "NaN in JSON lines",
    "topics": "header",
    "qrels": "judge with reasons",
    "run": "MTEB",
}


@pytest.mark.parametrize(("kind", "name"), [("documents", "docno twice"), ("run", "docno twice")])
def test_odd_files_have_the_same_verdict_in_an_archive(
    kind: str, name: str, ada: Api, campaign: Campaign
) -> None:
    files = {f"{kind}.of.{name}": BY_KIND[kind][name] for kind, name in TOGETHER.items()}
    content = {name: odd.data for name, odd in files.items()}
    refused = BY_KIND[kind][name]
    reply = ada.upload("files/", archived({**content, "refused": refused.data}), "all.zip")
    assert reply.status_code == 400
    assert "all.zip/refused" in reply.json()["detail"]
    assert str(refused.verdict) in refusal_of(reply)
    assert [records(kind, campaign) for kind in BY_KIND] == [[], [], [], []]
    reply = ada.upload("files/", archived(content), "all.zip")
    assert reply.status_code == 201, reply.content
    assert [records(kind, campaign) for kind in TOGETHER] == [odd.verdict for odd in files.values()]
    noticed = {row["what"] for row in reply.json()["noticed"]}
    assert noticed >= {what for odd in files.values() for what in odd.noticed}
