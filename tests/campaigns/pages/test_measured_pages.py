"""Overview, pair page and run page follow the campaign's measures, and name each kind of statement."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from campaigns.computing.tasks import recompute
from campaigns.measurement.measure_computation import write_measured
from campaigns.models import Campaign, Measured
from campaigns.overview.parts import overview_version
from campaigns.setup.campaigns import change_settings
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.campaigns.measurement.measured import expected, sampled, store

pytestmark = pytest.mark.django_db


def measured_campaign(name: str = "measured", **settings: Any) -> Campaign:
    campaign = make_campaign(name, **settings)
    for docno, grade in (("a", 2), ("b", 0), ("h", 1)):
        assert Api(campaign, f"{name}-grace").judge("1", docno, grade).status_code == 201
    recompute(campaign.id)
    return campaign


def text_of(campaign: Campaign, path: str = "") -> str:
    response = signed_in(f"{campaign.name}-ada").get(f"/campaigns/{campaign.slug}/{path}")
    assert response.status_code == 200
    text = re.sub(r"<(script|style).*?</\1>", "", response.content.decode(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_a_campaign_of_rbp_alone_has_no_panel_of_measures() -> None:
    campaign = measured_campaign()
    write_measured(campaign)
    text = text_of(campaign)
    assert "P(best)" in text
    assert "Where each run’s score lies" in text
    assert "Measures" not in text


def test_further_measures_have_a_panel_beside_the_verdict_by_rbp() -> None:
    campaign = measured_campaign(measures="RBP(p=0.8) nDCG@10 Judged@10")
    write_measured(campaign)
    text = text_of(campaign)
    assert "P(best)" in text
    assert "nDCG@10 unjudged not relevant" in text
    assert "Judged@10 unjudged not relevant" in text


def test_a_measure_without_estimates_leads_so_far() -> None:
    campaign = measured_campaign(measures="nDCG@10", method="C")
    write_measured(campaign)
    text = text_of(campaign)
    assert "By nDCG@10, " in text
    assert "Method C gives no probability for it." in text
    assert "nDCG@10 has no certain bounds. No interval: Method C draws no sample." in text
    assert "P(best)" not in text


def test_expected_ap_names_the_model() -> None:
    campaign = measured_campaign(measures="AP", method="mtc")
    store(campaign, "AP", expected())
    text = text_of(campaign)
    sentence = "x is probably best by AP: at least 83% sure against every other run, by a model, on these 30"
    assert sentence in re.sub(r" (?=[:,.])", "", text)
    assert "Scores by AP" in text
    assert "AP has no certain bounds. No intervals: the model states expected scores of these topics." in text


def test_a_sample_guarantees_on_these_topics_and_topics_like_these() -> None:
    campaign = measured_campaign(measures="nDCG@10", method="sample")
    store(campaign, "nDCG@10", sampled(approximate=True))
    text = text_of(campaign)
    assert "scores highest by nDCG@10: 0.400 ± 0.030 on these 30 topics, guaranteed by sampling." in text
    assert "It is better than 2 of 2 other runs; on topics like these, than 1." in text
    assert "95% interval on these topics, guaranteed by sampling" in text
    assert "0.370–0.430" in text
    assert "0.310–0.490" in text
    assert "The intervals are approximate." in text


def test_a_sample_replaces_the_verdict_by_rbp() -> None:
    campaign = measured_campaign(method="sample")
    assert "P(best)" in text_of(campaign)
    store(campaign, "RBP(p=0.8)", sampled(), bounds=True)
    text = text_of(campaign)
    assert "scores highest by RBP(p=0.8): 0.400 ± 0.030" in text
    assert "Certain bounds" in text
    assert "P(best)" not in text


def test_a_sample_is_early_at_first() -> None:
    campaign = measured_campaign(measures="nDCG@10", method="sample")
    nothing: dict[str, Any] = dict.fromkeys(("low", "high", "topics_low", "topics_high"), ())
    estimate, _ = sampled(early="judgments", early_count=3, early_needed=5, pairs=(), **nothing)
    store(campaign, "nDCG@10", (estimate, {}))
    text = text_of(campaign)
    assert "scores highest by nDCG@10 so far: 0.400 on these 30 topics, by a sample." in text
    assert "Too early for an interval: 3 of 5 judgments a topic." in text


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("computing", "The scores by AP are being computed."),
        ("too_large", "The campaign is too large to score by AP."),
        ("empty", "Nothing is judged yet: every run can still be best."),
    ],
)
def test_the_overview_says_why_nothing_is_measured(reason: str, sentence: str) -> None:
    campaign = measured_campaign(measures="AP nDCG@10")
    if reason != "computing":
        write_measured(campaign)
        Measured.objects.update(
            content={"measures": [], "matrices": [], "judged": 0, "reason": reason, "seconds": 0}
        )
    assert sentence in text_of(campaign)


def test_the_overview_changes_as_the_worker_measures() -> None:
    campaign = measured_campaign(measures="AP")
    version = overview_version(campaign)
    write_measured(campaign)
    assert overview_version(campaign) != version


def test_scores_of_other_settings_are_not_shown() -> None:
    campaign = measured_campaign(measures="AP")
    write_measured(campaign)
    change_settings(campaign=campaign, measures="nDCG@10")
    campaign.refresh_from_db()
    assert "The scores by nDCG@10 are being computed." in text_of(campaign)


def pair_text(campaign: Campaign, *tags: str, query: str = "") -> str:
    return text_of(campaign, f"pair/?{'&'.join(f'run={tag}' for tag in tags)}{query}")


def test_the_pair_page_of_rbp_alone_stays_as_it_was() -> None:
    campaign = measured_campaign()
    write_measured(campaign)
    assert "Difference by" not in pair_text(campaign, "x", "y")


def test_the_pair_page_states_a_samples_intervals_for_both_populations() -> None:
    campaign = measured_campaign(measures="nDCG@10", method="sample")
    store(campaign, "nDCG@10", sampled())
    text = pair_text(campaign, "y", "x")
    assert "x is better by nDCG@10 on these 30 topics, guaranteed by sampling." in text
    assert "+0.100 (+0.050 to +0.150) +0.100 (−0.150 to +0.350)" in text
    assert "does not exist for nDCG@10" in text
    assert "All below is by RBP(p=0.8)" in text


def test_the_pair_page_has_both_probabilities_of_the_model() -> None:
    campaign = measured_campaign(measures="AP nDCG@10", method="mtc")
    store(campaign, "AP", expected())
    text = pair_text(campaign, "x", "y")
    assert "x is better by AP with a probability of 83%" in text
    assert "P(better) 83% calibrated, 69% as published" in text
    assert "The scores by nDCG@10" not in text
    other = pair_text(campaign, "x", "y", query="&measure=nDCG@10")
    assert "No run has a score by nDCG@10 yet." in other


def test_the_pair_page_knows_the_campaigns_measures_only() -> None:
    campaign = measured_campaign(measures="AP")
    client = signed_in(f"{campaign.name}-ada")
    assert client.get(f"/campaigns/{campaign.slug}/pair/?measure=P@5").status_code == 404


def test_the_run_page_has_scores_by_all_measures() -> None:
    campaign = measured_campaign(measures="AP")
    store(campaign, "AP", expected(), sampled())
    run = campaign.runs.get(tag="x")
    text = text_of(campaign, f"runs/{run.id}/")
    assert "Scores by all measures" in text
    assert "AP 30 topics 0.400 – 0.400 ± 0.030 0.400 0.310–0.490" in text


def test_the_run_page_of_rbp_alone_stays_as_it_was() -> None:
    campaign = measured_campaign()
    write_measured(campaign)
    run = campaign.runs.get(tag="x")
    assert "Scores by all measures" not in text_of(campaign, f"runs/{run.id}/")
