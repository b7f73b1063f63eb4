"""The report quotes the overview word for word, fits on one page, and is for organisers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

import pytest

from campaigns.figures.report_sheet import A4, Report, ReportNumber, draw_report
from campaigns.figures.sheet import POINTS_A_MM
from campaigns.measurement.measured_scores import measured_of
from campaigns.measurement.measured_standings import MeasuredRow, measured_standings
from campaigns.models import Campaign, Deed
from campaigns.pages.results.report import report_of
from campaigns.setup.campaigns import change_settings
from tests.campaigns.factories import THREE_RUNS, Api, make_campaign, make_user, signed_in
from tests.campaigns.figures.figure_data import intervals_figure
from tests.campaigns.measurement.measured import expected, sampled, store
from tests.campaigns.pages.test_measured_pages import measured_campaign
from tests.campaigns.stopping.stopping_look import predict_scores

pytestmark = pytest.mark.django_db


def plain(html: str) -> str:
    """Words as a reader sees them; punctuation without the blanks that mark-up leaves."""
    words = " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
    return re.sub(r" (?=[.,;:)])|(?<=\() ", "", words)


def page(campaign: Campaign, path: str) -> str:
    response = signed_in(f"{campaign.name}-ada").get(f"/campaigns/{campaign.slug}/{path}")
    assert response.status_code == 200
    return response.content.decode()


def compare(campaign: Campaign, query: str = "") -> None:
    verdict, numbers = report_words(page(campaign, f"exports/report/{query}"))
    overview_verdict, overview_numbers = overview_words(page(campaign, query))
    assert verdict == overview_verdict
    for number, overview_number in zip(numbers, overview_numbers, strict=True):
        assert number == overview_number


def overview_words(html: str) -> tuple[str, list[tuple[str, ...]]]:
    """Verdict and large numbers of the overview."""
    [verdict] = re.findall(r'<p class="says" id="verdict">(.*?)</p>', html, re.DOTALL)
    [big] = re.findall(r'<dl class="big">(.*?)</dl>', html, re.DOTALL)
    big = re.sub(r'<(a|button)[^>]*class="[^"]*help.*?</\1>', "", big, flags=re.DOTALL)
    return plain(verdict), _numbers(big)


def _numbers(html: str) -> list[tuple[str, ...]]:
    parts = (
        r"<dt>(.*?)</dt>",
        r'<dd class="value"[^>]*>(.*?)</dd>',
        r'<dd(?: class="note"| dir="auto")[^>]*>(.*?)</dd>',
    )
    return list(
        zip(*([plain(one) for one in re.findall(part, html, re.DOTALL)] for part in parts), strict=True)
    )


def report_words(html: str) -> tuple[str, list[tuple[str, ...]]]:
    [verdict] = re.findall(r'<p class="verdict" dir="auto">(.*?)</p>', html, re.DOTALL)
    [numbers] = re.findall(r'<dl class="numbers">(.*?)</dl>', html, re.DOTALL)
    return plain(verdict), _numbers(numbers)


def small_campaign(**settings: Any) -> Campaign:
    lists = {tag: {**topics, "3": ["p", "q", "r"]} for tag, topics in THREE_RUNS.items()}
    campaign = make_campaign("Small", lists, **settings)
    grace = Api(campaign, "Small-grace")
    for topic, docno, grade in (("1", "a", 2), ("1", "b", 0), ("2", "k", 1), ("1", "c", 0), ("2", "l", 0)):
        assert grace.judge(topic, docno, grade).status_code == 201
    predict_scores(campaign)
    return campaign


@pytest.mark.parametrize("query", ["", "?topics=judged"])
def test_the_report_quotes_the_overview(query: str) -> None:
    campaign = small_campaign(min_judgments=3)
    compare(campaign, query)


@pytest.mark.parametrize("query", ["", "?topics=judged"])
def test_a_report_without_judgments_quotes_the_overview(query: str) -> None:
    compare(make_campaign("Small", THREE_RUNS, min_judgments=0), query)


@pytest.mark.parametrize("kind", ["sampled", "expected", "usual"])
def test_a_report_by_another_measure_quotes_the_overview(kind: str) -> None:
    method = {"sampled": "sample", "expected": "mtc", "usual": "C"}[kind]
    measure = "AP" if kind == "expected" else "nDCG@10"
    campaign = measured_campaign(measures=measure, method=method)
    if kind != "usual":
        store(campaign, measure, sampled(approximate=True) if kind == "sampled" else expected())
    compare(campaign)
    report = report_of(campaign, "all")
    assert f"{measure}, " in report.caption or kind == "usual"
    if report.figure is not None:
        assert {row.run for row in _rows(campaign)} <= {box.text for box in report.figure.boxes}
    if kind == "sampled":
        assert "On topics like these, the first run is better than 1 of 2 runs." in plain(
            page(campaign, "exports/report/")
        )


def _rows(campaign: Campaign) -> Sequence[MeasuredRow]:
    return measured_standings(campaign=campaign, measured=measured_of(campaign=campaign)).rows


def test_the_figure_has_the_numbers_of_the_overview() -> None:
    campaign = small_campaign()
    report = report_of(campaign, "all")
    assert report.figure is not None
    texts = {box.text for box in report.figure.boxes}
    overview = page(campaign, "")
    for value in re.findall(r"<span class=\"visually-hidden\"\s*>, score range\s*</span>([^<]+)", overview):
        assert value in texts
    assert "5 judged documents known" in report.caption
    facts = dict(report.facts)
    assert facts["Topics"] == "all 3 topics, 2 of them judged"
    assert facts["Judgments"] == "5 judged documents, 2 of them relevant"
    assert facts["People"] == "1 assessor judged"
    assert report.dated.endswith("log entry 5")


def test_the_report_says_how_sure_it_is() -> None:
    campaign = small_campaign()
    assert "Score ranges are certain" in page(campaign, "exports/report/")
    change_settings(campaign=campaign, unjudged_not_relevant=True)
    text = page(campaign, "exports/report/")
    assert "Score ranges assume that unjudged documents of judged topics are not relevant." in text
    assert "Score ranges are certain" not in text
    assert "these 3 topics, 2 of them judged. They state nothing about other topics." in text
    assert "the 2 judged topics of 3" in page(campaign, "exports/report/?topics=judged")


def test_a_german_report_is_german_with_its_figure() -> None:
    campaign = small_campaign()
    client = signed_in("Small-ada")
    client.cookies["django_language"] = "de"
    html = client.get("/campaigns/small/exports/report/").content.decode()
    for words in (
        "Sicherheit",
        "Gültigkeit",
        "Score-Bereich, sicher",
        "5 beurteilte Dokumente bekannt",
    ):
        assert words in html
    assert campaign.slug in html


def test_the_file_is_a_pdf_and_is_in_the_history() -> None:
    small_campaign()
    ada = signed_in("Small-ada")
    response = ada.get("/campaigns/small/exports/report.pdf", {"topics": "judged"})
    assert response.headers["Content-Type"] == "application/pdf"
    assert 'filename="small.report-judged-topics.pdf"' in response.headers["Content-Disposition"]
    assert response.content.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", response.content)) == 1
    assert Deed.objects.filter(kind="exported", detail__file="small.report-judged-topics.pdf").count() == 1


def test_the_page_fits_on_paper_at_its_fullest() -> None:
    note = "4 in 5: 12,000–34,000<br>until a run has P(best) ≥ 95%: <strong>≈ 316</strong> (4 in 5: 100–794)"
    numbers = [ReportNumber("To separate the next pair", "1,000 <small>of 2</small>", note)] * 4
    figure = intervals_figure(143, top=20)
    verdict = " ".join(["<strong>UIUC_DMG_setrank_ret</strong> (≥ 1%)."] * 12)
    statement = ("Certainty", "Score ranges are certain. " * 15)
    facts = [("Aggregation policy", "The adjudicated grade, otherwise the latest one.")] * 8
    report = Report(
        title="C" * 120,
        dated="Report of 28 November 2026 · log entry 5,600",
        verdict=verdict,
        numbers=numbers,
        figure_title="Where each run’s score lies",
        figure=figure.draw(178),
        caption=figure.caption_at(178),
        statements=[statement] * 2,
        facts=facts,
    )
    sheet = draw_report(report)
    margin = (A4[0] * POINTS_A_MM - sheet.width) / 2
    assert sheet.height <= A4[1] * POINTS_A_MM - 2 * margin
    assert all(box.left >= -0.1 and box.right <= sheet.width + 0.1 for box in sheet.boxes)
    for place, one in enumerate(sheet.boxes):
        for other in sheet.boxes[place + 1 :]:
            across = min(one.right, other.right) - max(one.left, other.left)
            assert across < 0.3 or min(one.bottom, other.bottom) - max(one.top, other.top) < 0.6, (one, other)


def test_reports_are_for_organisers() -> None:
    make_campaign("Small", {}, opened=False)
    make_user("stranger")
    for path in ("report/", "report.pdf"):
        address = f"/campaigns/small/exports/{path}"
        assert signed_in("Small-ada").get(address).status_code == 200
        assert signed_in("Small-ada").get(address, {"topics": "some"}).status_code == 400
        assert signed_in("Small-ada").post(address).status_code == 405
        assert signed_in("Small-grace").get(address).status_code == 403
        assert signed_in("stranger").get(address).status_code == 404
