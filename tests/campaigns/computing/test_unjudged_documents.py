"""Unjudged documents of judged topics as not relevant: scores and predictions follow, judging does not."""

from __future__ import annotations

import html
import re

import pytest

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.computing.scores import score
from campaigns.models import Campaign, Interval, Priority
from campaigns.predictions.standings import standings_of
from campaigns.results.score_ranges import score_ranges_of
from campaigns.setup.campaigns import change_settings
from tests.campaigns.factories import Api, Lists, make_campaign, signed_in
from tests.campaigns.stopping.stopping_look import look, predict_scores

P = 0.6
LISTS: Lists = {
    f"r{run}": {
        topic: list(dict.fromkeys(f"d{(run * 5 + rank * (run + 1)) % 30}" for rank in range(8)))
        for topic in ("1", "2", "3")
        # A run that misses a topic.
        if (run, topic) != (0, "2")
    }
    for run in range(6)
}
GAINS = {0: 0.0, 1: 0.5, 2: 1.0}


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign("Small", LISTS, p=P, unjudged_not_relevant=True)


def reference(judged: dict[tuple[str, str], int]) -> dict[tuple[str, str], tuple[float, float]]:
    """By run and topic, base and residual, one document after the other."""
    begun, found = {topic for topic, _ in judged}, {}
    for run, lists in LISTS.items():
        for topic in ("1", "2", "3"):
            won = sum(
                (1 - P) * P**rank * GAINS[judged.get((topic, docno), 0)]
                for rank, docno in enumerate(lists.get(topic, []))
            )
            found[run, topic] = won, 0.0 if topic in begun else 1.0
    return found


def stored(campaign: Campaign) -> dict[tuple[str, str], tuple[float, float]]:
    rows = Interval.objects.filter(topic__campaign=campaign)
    return {
        (run, topic): (base, residual)
        for run, topic, base, residual in rows.values_list("run__tag", "topic__number", "base", "residual")
    }


def test_score_ranges_follow_each_judgment_and_each_undo(campaign: Campaign) -> None:
    grace, judged = Api(campaign, "Small-grace"), dict[tuple[str, str], int]()
    live = LiveCampaign.from_rows(Campaign.objects.get(id=campaign.id))
    acts: list[tuple[str, str, int | None]] = [
        ("1", "d0", 2),
        ("1", "d5", 1),
        ("2", "d7", 2),
        ("2", "d7", None),
        ("3", "d1", 0),
        ("1", "d0", None),
    ]
    for topic, docno, grade in acts:
        if grade is None:
            grace.judge(topic, docno, undo=True)
            del judged[topic, docno]
        else:
            assert grace.judge(topic, docno, grade).status_code == 201
            judged[topic, docno] = grade
        worker.bring_up_to_date(live)
        expected = reference(judged)
        assert stored(campaign) == {cell: pytest.approx(bounds) for cell, bounds in expected.items()}
        for run in score_ranges_of(campaign=campaign):
            cells = [expected[run.run, number] for number in ("1", "2", "3")]
            assert run.base == pytest.approx(sum(base for base, _ in cells) / 3)
            assert run.residual == pytest.approx(sum(residual for _, residual in cells) / 3)
        # From the rankings alone, and by a copy that is new.
        again = LiveCampaign.from_rows(Campaign.objects.get(id=campaign.id))
        again.catch_up(known=0)
        direct = score(campaign, again.arrays, applied=live.applied)
        for one in (again.scores, direct):
            assert (one.bounds.base == live.scores.bounds.base).all()
            assert (one.bounds.residual == live.scores.bounds.residual).all()
            assert [of.tolist() for of in one.bounds.means()] == [
                of.tolist() for of in live.scores.bounds.means()
            ]


def test_judging_and_exports_know_nothing_of_it(campaign: Campaign) -> None:
    plain = make_campaign("Plain", LISTS, p=P)
    for one in (campaign, plain):
        grace = Api(one, f"{one.name}-grace")
        for topic, docno in (("1", "d0"), ("1", "d5"), ("2", "d7")):
            assert grace.judge(topic, docno, 2).status_code == 201
        look(one)
    queues = [
        list(
            Priority.objects.filter(topic__campaign=one).order_by("topic").values_list("weights", "remaining")
        )
        for one in (campaign, plain)
    ]
    assert [(bytes(weights), left) for weights, left in queues[0]] == [
        (bytes(weights), left) for weights, left in queues[1]
    ]
    answers = [Api(one, f"{one.name}-ada").get("qrels/").getvalue() for one in (campaign, plain)]
    assert answers[0] == answers[1]
    assert answers[0].count(b"\n") == 3


def test_positive_judgments_are_predicted_from_and_every_page_says_so(db: None) -> None:
    campaign = make_campaign("Small", LISTS, p=P)
    grace, ada, api = Api(campaign, "Small-grace"), signed_in("Small-ada"), Api(campaign, "Small-ada")
    for place in range(6):
        assert grace.judge("1", f"d{5 * place % 30}", 2).status_code == 201
    predict_scores(campaign)
    overview = ada.get("/campaigns/small/").content.decode()
    assert "All 6 judgments are relevant" in overview
    assert "/campaigns/small/setup/?step=grades#unjudged_not_relevant" in overview
    changed = api.client.patch(api.root, {"unjudged_not_relevant": True}, content_type="application/json")
    assert changed.status_code == 200
    assert "treat unjudged documents as not relevant" in ada.get("/campaigns/small/history/").content.decode()
    live = predict_scores(campaign)
    look(campaign)
    predicted = api.get("predictions/").json()
    assert predicted["reason"] == ""
    assert api.get("pairs/").json()["no_forecast"] == "unjudged_not_relevant"
    campaign.refresh_from_db()
    rows = standings_of(campaign=campaign).rows
    assert all(row.top - row.base == pytest.approx(2 / 3) for row in rows)
    judged = standings_of(campaign=campaign, topics="judged")
    assert all(row.base == row.top == row.expected for row in judged.rows)
    run = campaign.runs.get(tag="r1").id
    for address in ("", "runs/", f"runs/{run}/", "pair/", "leaderboard/"):
        page = " ".join(
            html.unescape(
                re.sub(r"<[^>]+>", " ", ada.get(f"/campaigns/small/{address}").content.decode())
            ).split()
        )
        assert "Unjudged documents of judged topics count as not relevant." in page, address
        assert "no unjudged document can change that" not in page
        assert "however the remaining documents are judged" not in page
    assert live.state.residual.min() > 0
    change_settings(campaign=Campaign.objects.get(id=campaign.id), unjudged_not_relevant=False)
    predict_scores(campaign)
    assert api.get("predictions/").json()["reason"] == "all_relevant"
