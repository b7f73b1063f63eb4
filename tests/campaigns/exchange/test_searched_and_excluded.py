"""Documents found by search, in the prels of a campaign that leaves out an assessor's judgments."""

from __future__ import annotations

import pytest

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.formats.prels import PrelMethod
from campaigns.models import Campaign
from campaigns.people.members import add_member
from campaigns.quality.exclusions import exclude, include
from tests.campaigns.exchange.test_prels import judge_as, lines, search_and_judge, stored, wide_lists
from tests.campaigns.factories import make_campaign, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    lists = wide_lists(topics=1, runs=4, documents=60)
    campaign = make_campaign("Sampled", lists, method="statap", options={"size": 12}, search_judging=True)
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    return campaign


def without(campaign: Campaign, name: str) -> dict[tuple[str, str], tuple[int, PrelMethod, float]]:
    """The prels while the judgments of this assessor do not count."""
    before = lines(campaign)
    exclude(campaign=campaign, username=f"{campaign.name}-{name}")
    found = lines(campaign)
    include(campaign=campaign, username=f"{campaign.name}-{name}")
    assert lines(campaign) == before
    return found


def test_searched_documents_count_as_if_excluded_assessors_had_not_judged(campaign: Campaign) -> None:
    drawn, _ = stored(campaign.topics.get())
    search_and_judge(campaign, "1", drawn[3], 2)
    for docno in drawn[:3] + drawn[4:]:
        judge_as("statap", campaign, "1", docno, 1)
    assert len(lines(campaign)) == 12
    # The sample has come to nothing, so what was searched for is left out.
    assert without(campaign, "grace") == {}
    assert {docno for _, docno in without(campaign, "alan")} == {*drawn} - {drawn[3]}
    assert without(campaign, "alan") == {
        one: said for one, said in lines(campaign).items() if one[1] != drawn[3]
    }


def test_what_was_served_to_an_excluded_assessor_counts_as_searched(campaign: Campaign) -> None:
    drawn, chances = stored(campaign.topics.get())
    add_member(campaign=campaign, username=make_user("Sampled-eve").username, role="assessor")
    judge_as("statap", campaign, "1", drawn[3], 1)
    search_and_judge(campaign, "1", drawn[3], 2)
    judge_as("statap", campaign, "1", drawn[0], 0, who="eve")
    assert {docno for _, docno in without(campaign, "grace")} == {drawn[0]}
    judge_as("statap", campaign, "1", drawn[5], 0, who="eve")
    found = without(campaign, "grace")
    assert {docno for _, docno in found} == {drawn[0], drawn[3], drawn[5]}
    assert found["1", drawn[3]] == (2, PrelMethod.SAMPLE, chances[3])
