"""A topic among all: its place, and the pairs whose order judging it can turn round."""

from __future__ import annotations

import pytest

from campaigns.models import Campaign, Interval, Topic
from campaigns.predictions.differences import differences_of
from campaigns.predictions.standings import standings_of
from campaigns.predictions.topic_outlook import TopicOutlook, topic_outlook
from campaigns.results.topic_rows import mean_residuals
from tests.campaigns.factories import make_campaign
from tests.campaigns.predictions.test_differences import LISTS, judge
from tests.campaigns.stopping.stopping_look import predict_scores

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """The third topic is not judged."""
    campaign = make_campaign("Small", LISTS)
    judge(campaign, "12", {"a": 1, "h": 1, "b": 0, "l": 1})
    judge(campaign, "1", {"c": 0})
    predict_scores(campaign)
    return campaign


def outlook(campaign: Campaign, topic: Topic) -> TopicOutlook:
    return topic_outlook(campaign=campaign, topic=topic, standings=standings_of(campaign=campaign))


def test_topics_are_placed_by_their_mean_residuals(campaign: Campaign) -> None:
    residuals = mean_residuals(campaign=campaign)
    first, second, third = (outlook(campaign, topic) for topic in campaign.topics.all())
    assert (first.more_open, second.more_open, third.more_open) == (2, 1, 0)
    assert {one.as_open for one in (first, second, third)} == {0}
    assert [one.residual for one in (first, second, third)] == [
        residuals[topic.id] for topic in campaign.topics.all()
    ]
    assert {one.median for one in (first, second, third)} == {second.residual}


def test_topics_of_the_same_residual_share_a_place() -> None:
    campaign = make_campaign("Small", LISTS)
    predict_scores(campaign)
    for topic in campaign.topics.all():
        found = outlook(campaign, topic)
        assert (found.more_open, found.as_open, found.topics) == (0, 2, 3)
        # Nothing is predicted before the first judgment.
        assert found.pairs is None


def test_topic_that_is_not_computed_has_no_residual(campaign: Campaign) -> None:
    third = campaign.topics.get(number="3")
    Interval.objects.filter(topic=third).delete()
    found = outlook(campaign, third)
    assert (found.residual, found.more_open) == (None, 0)


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_pairs_turn_where_the_interval_of_the_topic_reaches_beyond_their_difference(
    campaign: Campaign, number: str
) -> None:
    topic, standings = campaign.topics.get(number=number), standings_of(campaign=campaign)
    expected = {}
    for pair in standings.pairs:
        here = differences_of(campaign=campaign, run=pair.run.id, other=pair.other.id).topics[topic.id]
        rest = (pair.run.expected or 0) - (pair.other.expected or 0) - (here.expected or 0) / 3
        if pair.state != "certain" and rest + here.low / 3 < 0:
            expected[pair.run.run, pair.other.run] = (here.high - here.low) / 6
    found = outlook(campaign, topic)
    assert found.pairs is not None
    assert {(one.pair.run.run, one.pair.other.run): one.reach for one in found.pairs} == pytest.approx(
        expected
    )


def test_some_pair_turns_in_a_topic_without_judgments(campaign: Campaign) -> None:
    assert outlook(campaign, campaign.topics.get(number="3")).pairs


def test_nothing_is_stated_of_pairs_while_it_is_too_early() -> None:
    campaign = make_campaign("Small", LISTS)
    judge(campaign, "1", {"a": 1, "h": 0})
    predict_scores(campaign)
    assert outlook(campaign, campaign.topics.get(number="1")).pairs is None
