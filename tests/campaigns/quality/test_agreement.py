"""Agreement and steadiness on the People page."""

from __future__ import annotations

import re
from dataclasses import astuple
from random import Random

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from campaigns.models import Campaign, Judgment, Repeat
from campaigns.pages.sentences.people import kappa_words
from campaigns.quality.agreement import agreement_of, self_agreement_of
from evaluation.agreement.kappa import cohen_kappa, fleiss_kappa
from evaluation.agreement.krippendorff import krippendorff_alpha
from evaluation.resampling import Estimate
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

DOCNOS = [f"d{n:02}" for n in range(40)]
PAGE = "/campaigns/small/people/"
PEOPLE = ("Small-ada", "Small-alan", "Small-grace")


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(lists={"x": {"1": DOCNOS}}, overlap_share=1, overlap_assessors=3, repeat_share=0.5)


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def words(client: Client) -> str:
    page = client.get(PAGE)
    assert page.status_code == 200
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page.content.decode()))


def grades_of(campaign: Campaign, documents: int, people: int = 2) -> np.ndarray:
    """People judge the same documents, alike more often than not."""
    rng = Random(3)
    truth = [rng.randrange(3) for _ in range(documents)]
    table = [[grade if rng.random() < 0.7 else rng.randrange(3) for grade in truth] for _ in range(people)]
    for name, row in zip(PEOPLE, table, strict=False):
        Api(campaign, name).judge_all("1", dict(zip(DOCNOS, row, strict=False)))
    return np.array(table)


def test_without_overlap_the_page_says_how_to_have_some(client: Client, campaign: Campaign) -> None:
    Campaign.objects.update(overlap_share=0, repeat_share=0)
    page = words(client)
    assert "Nothing is judged twice yet" in page
    assert "Repeat checks are off" in page


def test_too_few_say_how_many_are_needed(client: Client, campaign: Campaign) -> None:
    grades_of(campaign, 7)
    page = words(client)
    assert "7 documents graded by two people or more" in page
    assert "3 more documents with two grades are needed" in page
    assert "7 in 1 topic wait for further assessors" in page


def test_the_figures_are_those_of_the_kernels(client: Client, campaign: Campaign) -> None:
    first, second = grades_of(campaign, 30)
    found = agreement_of(campaign=campaign)
    counts = np.array([[[first[n], second[n]].count(grade) for grade in range(3)] for n in range(30)])
    assert found.cohen is not None
    assert found.krippendorff is not None
    alone = cohen_kappa(first, second, resamples=500)
    alpha = krippendorff_alpha(np.array([first, second]), "ordinal", resamples=500)
    figures: list[tuple[Estimate | None, Estimate]] = [
        (found.cohen, alone),
        (found.fleiss, fleiss_kappa(counts, resamples=500)),
        (found.krippendorff, alpha),
    ]
    for one, by_document in figures:
        # Documents that were graded alike are drawn together, so the intervals' draws are others.
        assert one is not None
        assert one.value == pytest.approx(by_document.value)
        assert astuple(one)[1:3] == pytest.approx(astuple(by_document)[1:3], abs=0.1)
    [pair] = found.pairs
    assert (pair.one, pair.other, pair.documents) == ("Small-ada", "Small-alan", 30)
    assert pair.same == int((first == second).sum())
    page = words(client)
    interval = f"{found.cohen.low:.2f} to {found.cohen.high:.2f}"
    assert f"{found.cohen.value:.2f} {kappa_words(found.cohen.value)} {interval}" in page
    assert f"{found.krippendorff.value:.2f}" in page
    assert f"{pair.same} of 30" in page


def test_fleiss_takes_the_documents_with_equally_many_grades(campaign: Campaign) -> None:
    grades_of(campaign, 12, people=3)
    for name in PEOPLE[:2]:
        Api(campaign, name).judge_all("1", dict.fromkeys(DOCNOS[12:16], 1))
    found = agreement_of(campaign=campaign)
    assert (found.documents, found.fleiss_documents, found.fleiss_grades) == (16, 12, 3)
    assert [pair.documents for pair in found.pairs] == [16, 12, 12]


def test_what_was_taken_back_or_loaded_from_a_file_does_not_count(campaign: Campaign) -> None:
    grades_of(campaign, 11)
    Api(campaign, "Small-alan").judge("1", "d00", undo=True)
    Api(campaign, "Small-ada").upload("qrels/", b"1 0 d30 1\n", "some.qrels")
    Api(campaign, "Small-grace").judge("1", "d30", 1)
    assert agreement_of(campaign=campaign).documents == 10


def test_one_grade_alone_is_no_agreement_beyond_chance(client: Client, campaign: Campaign) -> None:
    for name in PEOPLE[:2]:
        Api(campaign, name).judge_all("1", dict.fromkeys(DOCNOS[:12], 1))
    assert agreement_of(campaign=campaign).cohen is None
    assert "only one grade was used" in words(client)


def answer(judgment: Judgment, grade: int | None, *, undo: bool = False, reason: str = "") -> None:
    Repeat.objects.create(
        first=judgment,
        campaign=judgment.campaign,
        topic=judgment.topic,
        document=judgment.document,
        assessor=judgment.assessor,
        grade=grade,
        reason=reason,
        undo=undo,
        created=timezone.now(),
    )


def test_steadiness_is_told_with_its_number_of_cases(client: Client, campaign: Campaign) -> None:
    first, _ = grades_of(campaign, 20)
    rows = list(Judgment.objects.filter(assessor__username="Small-ada").order_by("sequence"))
    second = [*first[:9].tolist(), *((grade + 1) % 3 for grade in first[9:12].tolist())]
    for row, grade in zip(rows, second, strict=False):
        answer(row, grade)
    answer(rows[12], None, reason="unreadable")
    answer(rows[13], 2)
    answer(rows[13], None, undo=True)
    answer(Judgment.objects.filter(assessor__username="Small-alan").latest("sequence"), 1)
    ada, alan = self_agreement_of(campaign=campaign)
    assert (ada.username, ada.graded, ada.same, ada.unjudged) == ("Small-ada", 12, 9, 1)
    assert ada.shift == pytest.approx(np.mean(np.array(second) - first[:12]))
    assert ada.kappa == cohen_kappa(first[:12], np.array(second), resamples=500)
    assert (alan.graded, alan.kappa, alan.lacking) == (1, None, 9)
    page = words(client)
    assert "9 of 12" in page
    assert "9 more documents needed" in page


def test_the_page_asks_as_many_queries_for_much_as_for_little(
    client: Client, campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(PAGE)
    for documents in (1, 30):
        grades_of(campaign, documents, people=3)
        answer(Judgment.objects.latest("sequence"), 1)
        with django_assert_max_num_queries(36):
            client.get(PAGE)


def test_assessors_are_not_told(campaign: Campaign) -> None:
    assert signed_in("Small-grace").get(PAGE).status_code in (403, 404)
