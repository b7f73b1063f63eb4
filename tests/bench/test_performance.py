"""The page of measurements: how its tables are written, and what they are computed by."""

from __future__ import annotations

import re
from importlib import import_module

import numpy as np
import pytest

from campaigns.computing.tasks import recompute
from campaigns.log.judgments import length_of
from campaigns.models import Document, Judgment, Priority, Ranking
from campaigns.models.packed import unpack_ids
from config.embedded.machine import PROJECT
from tests.bench.performance.__main__ import SECTIONS
from tests.bench.performance.assessors import Served
from tests.bench.performance.million import make_large
from tests.bench.performance.replaying import weights_given_up
from tests.bench.performance.report import Table, shown
from tests.bench.performance.throughput import missed
from tests.campaigns.factories import Api, make_campaign


def test_tables_show_what_a_repetition_would_confirm() -> None:
    assert [shown(cell) for cell in (None, "yes", 3, 0.01234, 123.4, 25_000_000)] == [
        *("–", "yes", "3", "0.0123", "123", "25,000,000")
    ]
    table = Table("Title", "Words.", ("what", "s"), [["one", 0.5]], "*beside*")
    assert table.markdown().splitlines()[4:7] == ["| what | s |", "| :-- | --: |", "| one | 0.5 |"]


def test_page_names_the_commit_of_each_table_and_its_missed_targets() -> None:
    page = (PROJECT / "docs" / "evidence" / "performance.md").read_text()
    sections = page.split("\n## ")[1:]
    assert len(sections) > 5
    for section in sections:
        assert re.search(r"^\*Commit [0-9a-f]{8}\b", section, re.MULTILINE), section
        rows = re.findall(r"^\| (\d+) \| [\d,]+ \| ([\d.]+) \| (0\.\d+) \|", section, re.MULTILINE)
        said = missed([[int(count), 0, float(one), float(share)] for count, one, share in rows])
        assert said in section
        assert bool(said) == ("Targets missed" in section)


def test_deployment_guide_repeats_figures_of_the_page() -> None:
    guide = (PROJECT / "docs" / "deployment.md").read_text().split("\n## Performance\n")[1].split("\n## ")[0]
    cells = (PROJECT / "docs" / "evidence" / "performance.md").read_text()
    figures = [
        found for row in guide.splitlines() for found in re.findall(r"\| [^|]*?(\d[\d.,]*\d)[^|]* \|$", row)
    ]
    assert len(figures) == 4
    assert [one for one in figures if f"| {one} |" not in cells] == []


def test_missed_targets_are_named_with_their_figures() -> None:
    assert missed([[1, 400, 250, 0.625]]) == ""
    words = "Targets missed: 180 judgments per second with 4, 0.584 of the bare view with 2 web processes."
    assert missed([[2, 545, 318, 0.584], [4, 280, 180, 0.643]]) == words


@pytest.mark.parametrize("section", SECTIONS)
def test_sections_measure(section: str) -> None:
    assert callable(import_module(f"tests.bench.performance.{section}").measure)


@pytest.mark.django_db
def test_only_documents_that_were_not_the_best_give_something_up() -> None:
    campaign = make_campaign()
    recompute(campaign.id)
    api = Api(campaign, "Small-grace")
    docno = api.get("next/", topic="1").json()["document"]["docno"]
    api.judge("1", docno, 0)
    act = str(Judgment.objects.get().id)
    recompute(campaign.id)
    queue = unpack_ids(Priority.objects.get(topic__number="1").documents).tolist()
    docnos = Document.objects.in_bulk(queue)
    served = [Served(act, "1", docnos[document].docno) for document in queue[:2]]
    lost = weights_given_up(campaign, served)
    assert lost[0] == 0
    assert 0 < lost[1] < 1


@pytest.mark.django_db
def test_large_campaign_has_judgments_of_ranked_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.bench.performance.million.DEPTH", 20)
    monkeypatch.setattr("tests.bench.performance.million.DOCUMENTS", 60)
    campaign = make_large("Large", 3, 12)
    assert length_of(campaign=campaign) == 12
    assert Ranking.objects.filter(run__campaign=campaign).count() == 3 * 24
    sequences = Judgment.objects.filter(campaign=campaign).order_by("sequence")
    assert np.array_equal(list(sequences.values_list("sequence", flat=True)), np.arange(1, 13))
