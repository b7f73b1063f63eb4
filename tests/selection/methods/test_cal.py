"""Continuous active learning: its definition, its model, what it finds, and the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array

from evaluation.arrays import FloatArray
from selection.framework.interface import Texts
from selection.methods.cal import CalOptions, relevance_chances
from selection.pool import build_topic_pool
from selection.registry import check_options
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.adaptive import Both, Campaign, follow, maker
from tests.selection.reference.cal import continuous_learning
from tests.selection.reference.campaign import campaigns
from tests.selection.reference.made_up_texts import made_up_texts

NO_RUN = np.zeros(1, dtype=np.bool_)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(campaigns(), st.data())
def test_follows_its_definition(campaign: Campaign, data: st.DataObject) -> None:
    rankings, contributing = campaign
    # Documents 3 and 14 are in the collection, but without text.
    texts = made_up_texts(len(rankings), [d for d in range(14) if d != 3])
    options_given = {"presumed": 4, "growth": "0.5"}
    both = Both(
        rankings,
        contributing,
        "topic",
        continuous_learning(texts, 4),
        maker("cal", "campaign", contributing, options_given, texts),
        collection=list(range(15)),
        rel=1e-6,
    )
    follow(both, data)


def test_the_model_minimizes_the_regularized_loss_of_both_classes() -> None:
    texts = made_up_texts(1, list(range(40)), terms=30)
    relevant, other = np.arange(0, 12), np.arange(12, 40)
    x = np.asarray(np.vstack([texts.topics.todense(), texts.vectors.todense()]))
    x = np.hstack([x, np.ones((41, 1))])
    y = np.where(np.arange(41) <= 12, 1.0, -1.0)
    balance = np.where(y > 0, 41 / (2 * 13), 41 / (2 * 28))

    def objective(terms: FloatArray) -> float:
        losses = np.logaddexp(0, -y * (x @ terms))
        return float(1e-4 / 2 * terms @ terms + (balance * losses).mean())

    terms = minimize(objective, np.zeros(31), method="L-BFGS-B", options={"gtol": 1e-9}).x
    expected = 1 / (1 + np.exp(-(x[1:] @ terms)))
    chances = relevance_chances(texts, 0, relevant, other)
    assert chances[:-1] == pytest.approx(expected, abs=0.01)
    assert chances[-1] == pytest.approx(1 / (1 + np.exp(-terms[-1])), abs=0.01)


def test_without_any_document_that_is_not_relevant_all_are_alike() -> None:
    texts = made_up_texts(1, [0, 1, 2])
    assert relevance_chances(texts, 0, np.array([0]), np.array([], dtype=int)).tolist() == [0.5] * 4


def test_rounds_grow_by_a_tenth() -> None:
    sizes, options = [1], CalOptions()
    while len(sizes) < 15:
        sizes.append(options.after(sizes[-1]))
    assert sizes == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19]
    # 30 tenths are 3, though 30 * 0.1 is more.
    assert options.after(30) == 33


def test_without_growth_every_judgment_is_learnt_from() -> None:
    assert CalOptions(growth=0.0).after(1) == 1


@pytest.mark.parametrize(
    ("option", "value"), [("presumed", "0"), ("growth", "-0.1"), ("growth", "nan"), ("growth", "2")]
)
def test_refuses_options_outside_their_range(option: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{option} = {value}"):
        check_options("cal", {option: value})


def cal_state(texts: Texts | None, topics: int = 2) -> CampaignState:
    every = np.arange(5, dtype=np.int32)
    pools = [build_topic_pool([None], 0.8, NO_RUN, unranked=every) for _ in range(topics)]
    return CampaignState(
        pools,
        CampaignSpec(runs=1, p=0.8, method="cal", scope="topic", contributing=NO_RUN, texts=texts),
    )


def test_serves_the_collection_without_any_run() -> None:
    state = cal_state(made_up_texts(2, list(range(5))))
    assert [state.remaining(topic) for topic in (0, 1)] == [5, 5]
    served = []
    while (choice := state.best()) is not None:
        served.append((choice.topic, choice.document))
        state.judge(choice.topic, choice.document, float(choice.document % 2))
    assert sorted(served) == [(topic, document) for topic in (0, 1) for document in range(5)]
    # In turn.
    assert [topic for topic, _ in served] == [0, 1] * 5


def test_a_document_is_explained_by_its_chance_and_no_run() -> None:
    state = cal_state(made_up_texts(2, list(range(5))))
    queue = state.queue(0, 3)
    why = state.explain(0, int(queue.documents[2]))
    assert (why.weight, len(why.runs)) == (queue.weights[2], 0)
    assert 0 < why.weight < 1


def test_refuses_a_campaign_without_texts() -> None:
    with pytest.raises(ValueError, match="no texts of the collection's documents"):
        cal_state(None)
    with pytest.raises(ValueError, match="no texts of the collection's documents"):
        cal_state(Texts(np.zeros(0, np.int32), csr_array(np.zeros((0, 4))), csr_array(np.ones((2, 4)))))


def test_a_topic_without_text_begins_in_pool_order_and_learns_from_what_is_relevant() -> None:
    texts = made_up_texts(2, list(range(5)))
    silent = texts.topics.todense()
    silent[1] = 0
    state = cal_state(Texts(texts.documents, texts.vectors, csr_array(silent)))
    assert state.queue(1, 3).documents.tolist() == [0, 1, 2]
    state.judge(1, 0, 1.0)
    assert len(set(state.queue(1, 5).weights.tolist())) > 1


def test_refuses_texts_of_other_topics() -> None:
    with pytest.raises(ValueError, match="texts of 3 topics for 2 topics"):
        cal_state(made_up_texts(3, list(range(5))))
