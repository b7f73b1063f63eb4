from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from campaigns.core.errors import Refusal
from campaigns.exchange.grade_maps import GradeChoice, OtherGrades, read_map, suggested_map
from campaigns.exchange.qrels import StoredQrels, store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.log.current import current_qrels
from campaigns.models import Campaign, Deed
from campaigns.pages.setup.forms import two_grades
from tests.campaigns.factories import Api, make_campaign, signed_in

GRADED = b"1 0 a 3\n1 0 b 2\n1 0 c 1\n1 0 d 0\n1 0 e -1\n1 0 f -2\n"
# As Cleverdon's codes of Cranfield: there is no 0, and -1 is not relevant.
FROM_MINUS_ONE = b"1 0 a 4\n1 0 b -1\n2 0 k 1\n2 0 l -1\n"


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign(grades=two_grades())


def store(campaign: Campaign, content: bytes, **choice: Any) -> StoredQrels:
    parsed = read_qrels(io.BytesIO(content), "other.qrels")
    organiser = User.objects.get(username="Small-ada")
    return store_qrels(
        campaign=campaign, user=organiser, parsed=parsed, file="other.qrels", choice=GradeChoice(**choice)
    )


def held(campaign: Campaign) -> dict[str, int]:
    campaign.refresh_from_db()
    return {docno: grade for _, docno, grade in current_qrels(campaign=campaign)}


@given(st.sets(st.integers(-2, 99), min_size=1), st.sets(st.integers(0, 99), min_size=2, max_size=9))
def test_suggested_maps_keep_the_order_and_reach_both_ends(file: set[int], scale: set[int]) -> None:
    found = suggested_map(file, scale)
    assert set(found) == file - {-2}
    assert set(found.values()) <= scale | {None}
    positive = [found[grade] for grade in sorted(file) if grade > 0]
    assert positive == sorted(positive, key=lambda own: own or 0)
    if len(positive) > 1:
        above = sorted(scale)[1:]
        assert (positive[0], positive[-1]) == (above[0], above[-1])


def test_other_grades_are_refused_in_one_sentence_and_nothing_is_stored(campaign: Campaign) -> None:
    with pytest.raises(OtherGrades) as refused, translation.override("en"):
        store(campaign, GRADED)
    assert refused.value.detail == (
        "other.qrels has grades that this campaign lacks: 2, 3, in 2 judgments. Map them to its grades 0, 1 "
        "(suggested: -1=none,0=0,1=1,2=1,3=1), or use the file’s grades"
    )
    assert not campaign.judgments.exists()


def test_a_map_gives_grades_and_the_history_names_it(campaign: Campaign) -> None:
    stored = store(campaign, GRADED, map={3: 1, 2: None, 1: 0})
    assert held(campaign) == {"a": 1, "c": 0, "d": 0, "f": -2}
    assert (stored.added, stored.map, stored.left_out) == (4, "3=1,2=none,1=0", 1)
    deed = Deed.objects.get(campaign=campaign, kind="qrels")
    assert (deed.detail["map"], deed.detail["left_out"]) == ("3=1,2=none,1=0", 1)
    history = signed_in("Small-ada").get(f"/campaigns/{campaign.slug}/history/").content.decode()
    assert "3=1,2=none,1=0" in history


def test_minus_one_can_be_mapped_and_is_otherwise_not_judged(campaign: Campaign) -> None:
    store(campaign, FROM_MINUS_ONE, map={4: 1, -1: 0})
    assert held(campaign) == {"a": 1, "b": 0, "k": 1, "l": 0}


def test_the_files_grades_become_the_scale_before_anything_is_judged(campaign: Campaign) -> None:
    store(campaign, FROM_MINUS_ONE, adopt=True)
    assert held(campaign) == {"a": 4, "b": 0, "k": 1, "l": 0}
    assert [(row["grade"], row["gain"]) for row in campaign.grades] == [(0, 0.0), (1, 0.5), (4, 1.0)]
    assert Deed.objects.filter(campaign=campaign, kind="settings").exists()
    with pytest.raises(Refusal, match="judged by the campaign") as refused:
        store(campaign, GRADED, adopt=True)
    assert refused.value.code == "grade_in_use"
    with pytest.raises(OtherGrades, match="cannot be used: documents are judged"):
        store(campaign, GRADED)


def test_a_scale_that_fails_with_its_file_stays_as_it_was(campaign: Campaign) -> None:
    before = campaign.grades
    with pytest.raises(ValueError, match="no topic 9"):
        store(campaign, b"1 0 a 3\n9 0 b 2\n", adopt=True)
    campaign.refresh_from_db()
    assert campaign.grades == before


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("2", "“2” is no pair"),
        ("2=", "“2=” is no pair"),
        ("two=1", "“two=1” is no pair"),
        ("2=1,2=0", "grade 2 is mapped twice"),
        ("2=1=0", "“2=1=0” is no pair"),
    ],
)
def test_a_map_that_cannot_be_read_is_refused_with_the_pair(typed: str, said: str) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        read_map([typed])
    assert (refused.value.code, refused.value.field) == ("bad_map", "map")


def test_a_map_to_a_grade_outside_the_scale_is_refused(campaign: Campaign) -> None:
    with pytest.raises(Refusal, match="3=2: the campaign has grades 0, 1"):
        store(campaign, GRADED, map={3: 2})
    with pytest.raises(Refusal, match="not both"):
        store(campaign, GRADED, map={3: 1}, adopt=True)


def test_the_command_maps_grades(campaign: Campaign, tmp_path: Path) -> None:
    file = tmp_path / "graded.qrels"
    file.write_bytes(FROM_MINUS_ONE)
    said, wrong = io.StringIO(), io.StringIO()
    with pytest.raises(CommandError):
        call_command("import_qrels", campaign.slug, str(file), stdout=said, stderr=wrong)
    assert "grades that this campaign lacks: 4" in wrong.getvalue()
    call_command("import_qrels", campaign.slug, str(file), "--map", "4=1", "--map=-1=0", stdout=said)
    assert "4 judgments added, 0 unchanged, grades mapped 4=1,-1=0, 0 left out" in said.getvalue()
    assert held(campaign)["b"] == 0


def test_the_api_recognises_other_grades_and_maps_them(campaign: Campaign) -> None:
    ada = Api(campaign, "Small-ada")
    found = ada.upload("recognition/", GRADED, size=len(GRADED)).json()["other_grades"]
    assert found["scale"] == [0, 1]
    assert not found["obstacle"]
    assert {row["grade"]: row["suggested"] for row in found["grades"]} == {-1: None, 0: 0, 1: 1, 2: 1, 3: 1}
    assert ada.upload("recognition/", b"1 0 a 1\n1 0 b 0\n").json()["other_grades"] is None
    refused = ada.upload("qrels/", GRADED)
    assert (refused.status_code, refused.json()["code"]) == (409, "other_grades")
    stored = ada.upload("qrels/", GRADED, map="2=1,3=1").json()
    assert stored["taken"]["judgments"] == 5
    assert any(row["what"] == "grades mapped: 2=1,3=1" for row in stored["noticed"])
