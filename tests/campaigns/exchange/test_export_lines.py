"""Lines that the database writes are those that Python would write, however they are cut into pieces."""

from __future__ import annotations

import csv
import io
import json
import random
from datetime import datetime
from typing import Any, cast
from uuid import UUID

import pytest
from django.contrib.auth.models import User

from campaigns.collection.topics import set_method
from campaigns.computing import worker
from campaigns.computing.tasks import recompute
from campaigns.exchange import lines
from campaigns.exchange.exports import EXPORTS
from campaigns.formats.prels import format_prel
from campaigns.formats.qrels import format_qrel
from campaigns.formats.tables import csv_cell
from campaigns.log.current import current_qrels
from campaigns.log.judgments import LOG_COLUMNS, acts_of, log_rows
from campaigns.measurement.prels import current_prels
from campaigns.models import Campaign, Judgment, Sample
from campaigns.models.campaign import Policy
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

ODD = {
    "x": {"1": ['a,"b"', "Zoë", "a", "B", "%s"], "10": ["a", "k'k", "ß\\n"], "2": ["{0}", "b"]},
    "y": {"1": ["B", "c;d"], "10": ["\ufeffa", "a"], "2": ["b", "日本"]},
}


@pytest.fixture(scope="module")
def made(module_rows: None) -> int:
    campaign = make_campaign("Odd", ODD)
    dice = random.Random(4)
    people = [Api(campaign, f"Odd-{name}") for name in ("grace", "alan")]
    pool = sorted(
        {(topic, docno) for run in ODD.values() for topic, docnos in run.items() for docno in docnos}
    )
    for topic, docno in [*pool, *dice.choices(pool, k=20)]:
        said = dice.choice([{"grade": 0}, {"grade": 1}, {"grade": 2}, {"undo": True}, {"reason": "x"}])
        dice.choice(people).judge(topic, docno, **cast(dict[str, Any], said))
    return campaign.id


@pytest.fixture
def campaign(made: int) -> Campaign:
    # A copy in memory may hold rows that another test took back.
    worker.forget_copies()
    return Campaign.objects.get(id=made)


def text(campaign: Campaign, what: str, policy: str = "") -> str:
    return "".join(EXPORTS[what].lines(campaign, policy))


@pytest.mark.parametrize("acts_at_once", [1, 8, 20_000])
@pytest.mark.parametrize("policy", ["", *Policy.values])
def test_qrels(campaign: Campaign, policy: str, acts_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "ACTS_AT_ONCE", acts_at_once)
    monkeypatch.setattr(lines, "LINES_AT_ONCE", 3)
    rows = list(current_qrels(campaign=campaign, policy=policy))
    assert len({topic for topic, _, _ in rows}) == 3
    assert text(campaign, "qrels", policy) == "".join(format_qrel(*row) for row in rows)


@pytest.mark.parametrize("drawn", ["1", "10", "2", "all", "none"])
def test_prels_of_topics_with_and_without_a_sample(campaign: Campaign, drawn: str) -> None:
    topics = [topic for topic in campaign.topics.all() if drawn in (topic.number, "all")]
    set_method(campaign=campaign, topics=topics, method="statap", options={"size": 3})
    recompute(campaign.id)
    assert Sample.objects.count() == len(topics)
    rows = list(current_prels(campaign=campaign))
    assert len({row.topic for row in rows}) == 3
    assert text(campaign, "prels") == "".join(
        format_prel(row.topic, row.docno, row.grade, row.method, row.inclusion) for row in rows
    )


def test_the_log(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LINES_AT_ONCE", 4)
    Judgment.objects.filter(sequence=2).update(grade=None, undo=False, reason='cannot, "really"\r\nno')
    User.objects.filter(username="Odd-alan").update(username='o"brien,\nÉva')
    expected = [
        {name: plain(value) for name, value in row.items()} for row in log_rows(acts_of(campaign=campaign))
    ]
    assert [json.loads(line) for line in text(campaign, "judgments-jsonl").splitlines()] == expected
    table = list(csv.reader(io.StringIO(text(campaign, "judgments-csv"), newline="")))
    said = {None: "", True: "true", False: "false"}
    cells = [
        [said[value] if value is None or isinstance(value, bool) else str(value) for value in row.values()]
        for row in expected
    ]
    assert table == [list(LOG_COLUMNS), *cells]


WORDS = [
    "=1+1",
    "+a",
    "-a",
    "@a",
    "-0.5",
    "+.5e-3",
    "-",
    "--1",
    "-1+1",
    "a=b",
    "＝a",
    "－1",
    "\t=1",
    "\r=1",
    "'=1",
]


def test_the_log_guards_words_as_every_csv_does(campaign: Campaign) -> None:
    acts = Judgment.objects.filter(campaign=campaign).order_by("sequence")
    for act, word in zip(acts, WORDS, strict=False):
        Judgment.objects.filter(id=act.id).update(grade=None, undo=False, reason=word)
    table = csv.DictReader(io.StringIO(text(campaign, "judgments-csv"), newline=""))
    shown = [row["reason"] for row in table][: len(WORDS)]
    assert shown == [csv_cell(word) for word in WORDS]
    assert shown[:6] == ["'=1+1", "'+a", "'-a", "'@a", "-0.5", "+.5e-3"]


def plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    return str(value) if isinstance(value, UUID) else value


def test_nothing_judged_makes_no_line() -> None:
    campaign = make_campaign("Empty")
    assert [text(campaign, what) for what in ("qrels", "prels", "judgments-jsonl")] == ["", "", ""]
    assert text(campaign, "judgments-csv") == ",".join(LOG_COLUMNS) + "\r\n"
