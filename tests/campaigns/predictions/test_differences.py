"""The pair page: the prediction interval of the difference, and judgments until the pair separates."""

from __future__ import annotations

import re

import pytest

from campaigns.models import Advice, Campaign, Prediction
from campaigns.pages.runs.pairs import TopicLine
from campaigns.predictions import computation, differences
from campaigns.predictions.differences import (
    Difference,
    PairDifferences,
    TopicScores,
    differences_of,
    run_scores_in,
    topic_scores_of,
)
from campaigns.predictions.prediction import prediction_of
from campaigns.predictions.standings import standings_of
from campaigns.results.topic_scope import TopicScope
from campaigns.stopping.advice import separation_of, stopping_advice_of
from tests.campaigns.factories import Api, Lists, make_campaign, signed_in
from tests.campaigns.stopping.stopping_look import look, predict_scores

pytestmark = pytest.mark.django_db

LISTS: Lists = {
    tag: {number: [f"{letter}{number}" for letter in order] for number in ("1", "2", "3")}
    for tag, order in (("x", "abcdefg"), ("y", "hbicjdk"), ("z", "lmnopqr"))
}


def judge(campaign: Campaign, topics: str, grades: dict[str, int]) -> None:
    grace = Api(campaign, "Small-grace")
    for topic in topics:
        for letter, grade in grades.items():
            assert grace.judge(topic, letter + topic, grade).status_code == 201


@pytest.fixture
def campaign() -> Campaign:
    """Two of three topics have four judgments each."""
    campaign = make_campaign("Small", LISTS)
    judge(campaign, "12", {"a": 1, "h": 1, "b": 0, "l": 1})
    return campaign


def between(campaign: Campaign, one: str, other: str) -> PairDifferences:
    ids = {run.tag: run.id for run in campaign.runs.all()}
    return differences_of(campaign=campaign, run=ids[one], other=ids[other])


def run_page(campaign: Campaign, run: int) -> str:
    return signed_in("Small-ada").get(f"/campaigns/{campaign.slug}/runs/{run}/").content.decode()


def page(campaign: Campaign, one: str, other: str, **query: str) -> str:
    asked = {"run": [one, other], **query}
    return " ".join(signed_in("Small-ada").get("/campaigns/small/pair/", asked).content.decode().split())


def test_means_agree_with_the_prediction(campaign: Campaign) -> None:
    predict_scores(campaign)
    for topics in ("all", "judged"):
        found = prediction_of(campaign=campaign, topics=topics)
        assert found is not None
        runs = {campaign.runs.get(id=run.id).tag: run for run in found.runs}
        for one, other in (("x", "y"), ("y", "z"), ("z", "x")):
            mean = between(campaign, one, other).means[topics]
            expected = runs[one].expected - runs[other].expected
            assert mean.low - 1e-6 <= expected <= mean.high + 1e-6
            confidence = found.confidence(runs[one].id, runs[other].id)
            assert confidence is not None
            assert mean.low <= 1e-6 or confidence > 0.97
            back = between(campaign, other, one).means[topics]
            assert (back.low, back.high) == (-mean.high, -mean.low)


@pytest.mark.parametrize("topics", ["all", "judged"])
def test_the_api_gives_the_intervals_of_the_pair_page(campaign: Campaign, topics: TopicScope) -> None:
    predict_scores(campaign)
    reply = Api(campaign, "Small-ada").get("predictions/", topics=topics).json()
    assert len(reply["results"]) == 3
    for pair in reply["results"]:
        mean = between(campaign, pair["run"], pair["other"]).means[topics]
        assert (pair["low"], pair["high"]) == (mean.low, mean.high)
        assert pair["low"] < pair["high"]


def test_the_api_gives_no_intervals_while_it_is_too_early() -> None:
    campaign = make_campaign("Small", LISTS)
    judge(campaign, "1", {"a": 1, "h": 0})
    predict_scores(campaign)
    reply = Api(campaign, "Small-ada").get("predictions/").json()
    assert reply["early"]
    assert {(pair["low"], pair["high"]) for pair in reply["results"]} == {(None, None)}


def test_every_topic_has_an_interval_inside_the_certain_range(campaign: Campaign) -> None:
    predict_scores(campaign)
    found = between(campaign, "x", "z")
    assert set(found.topics) == set(campaign.topics.values_list("id", flat=True))
    for one in found.topics.values():
        assert one.expected is not None
        assert one.low - 1e-6 <= one.expected <= one.high + 1e-6
    total = sum(one.expected or 0 for one in found.topics.values()) / 3
    rows = {run.run: run.expected for run in standings_of(campaign=campaign).rows}
    assert total == pytest.approx((rows["x"] or 0) - (rows["z"] or 0), abs=1e-5)


def test_a_runs_topics_have_intervals_that_average_to_its_expected_score(campaign: Campaign) -> None:
    predict_scores(campaign)
    for row in standings_of(campaign=campaign).rows:
        found = topic_scores_of(campaign=campaign, run=row.id).topics
        assert set(found) == set(campaign.topics.values_list("id", flat=True))
        for topic, one in found.items():
            assert one.expected is not None
            assert -1e-6 <= one.low - 1e-6 <= one.expected <= one.high + 1e-6 <= 1 + 1e-5
            assert run_scores_in(campaign=campaign, topic=topic)[row.id] == one
        assert sum(one.expected or 0 for one in found.values()) / 3 == pytest.approx(row.expected, abs=1e-5)


def test_runs_beyond_the_first_are_predicted_by_topic_once_asked_for(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computation, "TOP_RUNS", 1)
    requests: list[tuple[int, list[int]]] = []
    monkeypatch.setattr(differences, "request_prediction", lambda *asked: requests.append(asked))
    predict_scores(campaign)
    last = standings_of(campaign=campaign).rows[-1]
    before = Prediction.objects.get()
    assert topic_scores_of(campaign=campaign, run=last.id) == TopicScores({}, coming=True)
    assert "The worker computes the prediction interval" in run_page(campaign, last.id)
    assert requests == [(campaign.id, [last.id])] * 2
    predict_scores(campaign, [last.id])
    found = topic_scores_of(campaign=campaign, run=last.id)
    assert len(found.topics) == 3
    assert not found.coming
    assert "The worker computes" not in run_page(campaign, last.id)
    after = Prediction.objects.get()
    # The same judgments, the same prediction: only its topics are more.
    assert (after.pairs, after.content["scores"], after.content["history"]) == (
        before.pairs,
        before.content["scores"],
        before.content["history"],
    )
    judge(campaign, "3", {"a": 1})
    predict_scores(campaign)
    assert len(topic_scores_of(campaign=campaign, run=last.id).topics) == 3


def test_an_interval_is_cut_to_what_is_certain_now() -> None:
    assert Difference(-0.4, 0.3, 0.25).within(-0.1, 0.2) == Difference(-0.1, 0.2, 0.2)


def test_nothing_is_said_too_early_or_of_other_runs(campaign: Campaign) -> None:
    predict_scores(campaign)
    assert between(campaign, "x", "y").means
    judge(campaign, "3", {"a": 1})
    content = Prediction.objects.get().content
    content["scores"]["all"]["early"] = True
    Prediction.objects.update(content=content)
    assert list(between(campaign, "x", "y").means) == ["judged"]
    content["scores"]["judged"]["early"] = True
    Prediction.objects.update(content=content)
    assert between(campaign, "x", "y") == PairDifferences({}, {})
    said = page(campaign, "x", "y")
    assert "95% prediction interval" not in said
    assert "too early to say" in said
    Prediction.objects.all().delete()
    assert between(campaign, "x", "y") == PairDifferences({}, {})


def test_rows_of_older_versions_have_no_intervals(campaign: Campaign) -> None:
    predict_scores(campaign)
    row = Prediction.objects.get()
    content = {name: value for name, value in row.content.items() if not name.startswith("watched")}
    Prediction.objects.update(content=content, differences=b"")
    assert between(campaign, "x", "y") == PairDifferences({}, {})
    assert "difference of the bases; of means: expected" in page(campaign, "x", "y")


def test_the_page_draws_bands_and_names_the_mean_s(campaign: Campaign) -> None:
    predict_scores(campaign)
    said = page(campaign, "x", "z")
    mean = between(campaign, "x", "z").means["all"]
    assert re.search(r"95% prediction interval [+−]?\d\.\d+ to [+−]?\d\.\d+<br>certain range", said)
    assert mean.low < mean.high
    # Two begun topics and two means.
    assert len(re.findall(r'<rect class="band [a-z]+" x="[^"]*" y="50%"', said)) == 4


def test_a_line_without_a_prediction_shows_the_bases(campaign: Campaign) -> None:
    predict_scores(campaign)
    Prediction.objects.all().delete()
    response = signed_in("Small-ada").get("/campaigns/small/pair/", {"run": ["x", "z"]})
    lines: list[TopicLine] = response.context["table"].rows
    assert [line.predicted for line in lines] == [None, None]
    assert [line.difference for line in lines] == [line.topic.difference for line in lines]


def test_the_forecast_of_a_pair_is_no_sooner_than_the_next_one(campaign: Campaign) -> None:
    predict_scores(campaign)
    look(campaign)
    stored = Advice.objects.get().content["separating"]
    advice = stopping_advice_of(campaign=campaign)
    assert stored
    assert advice is not None
    assert advice.next_pair is not None
    for one, other, _ in stored:
        found = separation_of(campaign=campaign, runs=(other, one))
        assert found == separation_of(campaign=campaign, runs=(one, other))
        assert found is not None
        assert (found.median or 10**6) >= (advice.next_pair.median or 10**6)


def test_the_page_says_why_a_pair_has_no_forecast(campaign: Campaign) -> None:
    predict_scores(campaign)
    look(campaign)
    tags = dict(campaign.runs.values_list("id", "tag"))
    one, other, _ = Advice.objects.get().content["separating"][0]
    pair = (tags[one], tags[other])
    assert "forecast" not in page(campaign, *pair).split("Judgments until it separates")[1].split("</dl>")[0]
    assert "forecast over all topics only" in page(campaign, *pair, topics="judged")
    Advice.objects.update(content=Advice.objects.get().content | {"separating": []})
    assert "forecast for the ten runs of the highest expected scores" in page(campaign, *pair)


def test_topics_like_these_need_fifteen_topics() -> None:
    campaign = make_campaign("Small", LISTS)
    judge(campaign, "12", {"a": 1, "h": 1, "b": 0, "l": 1})
    predict_scores(campaign)
    prediction = prediction_of(campaign=campaign)
    assert prediction is not None
    assert {run.topics_half for run in prediction.runs} == {None}
    one, other = (run.id for run in prediction.runs[:2])
    assert prediction.difference_for_topics_like_these(one, other) is None


def test_topics_like_these_are_less_certain_than_these_topics() -> None:
    numbers = [str(number) for number in range(1, 17)]
    lists = {
        tag: {number: [f"{letter}{number}" for letter in order] for number in numbers}
        for tag, order in (("x", "abcdefg"), ("y", "hbicjdk"), ("z", "lmnopqr"))
    }
    campaign = make_campaign("Small", lists)
    grace = Api(campaign, "Small-grace")
    for place, number in enumerate(numbers):
        grades = {"a": place % 3 > 0, "h": place % 4 == 0, "b": 0, "l": place % 2, "c": 0}
        grace.judge_all(number, {f"{letter}{number}": int(grade) for letter, grade in grades.items()})
    predict_scores(campaign)
    prediction = prediction_of(campaign=campaign)
    assert prediction is not None
    ids = [run.id for run in prediction.order]
    found = Api(campaign, "Small-ada").get("predictions/").json()
    assert len(found["results"]) == 3
    for run in prediction.runs:
        assert run.topics_half is not None
        assert 2 * run.topics_half > run.high - run.low
    for pair, (one, other) in zip(found["results"], [(0, 1), (0, 2), (1, 2)], strict=True):
        difference = prediction.difference_for_topics_like_these(ids[one], ids[other])
        assert difference is not None
        assert (pair["topics_difference"], pair["topics_half"]) == difference
        assert 2 * difference[1] > pair["high"] - pair["low"]
        assert prediction.difference_for_topics_like_these(ids[other], ids[one]) == (
            -difference[0],
            difference[1],
        )
    assert prediction.difference_for_topics_like_these(ids[0], ids[0]) is None
