"""The registry's word on which methods go in rounds, against how they are made."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from selection.framework.interface import SelectionScope
from selection.framework.topicwise import Topicwise
from selection.pool import build_topic_pool
from selection.registry import METHODS
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.made_up_texts import made_up_texts

RUNS = np.array([True, True])
LISTS = [np.arange(6), np.arange(6)[::-1]]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scope", get_args(SelectionScope))
def test_topics_have_their_turns_just_where_the_registry_says_so(method: str, scope: SelectionScope) -> None:
    everything = np.arange(6, dtype=np.int32) if METHODS[method].unranked else None
    pools = [build_topic_pool(LISTS, 0.99, RUNS, unranked=everything)] * 2
    texts = made_up_texts(2, list(range(6)))
    state = CampaignState(
        pools,
        CampaignSpec(runs=2, p=0.99, method=method, scope=scope, contributing=RUNS, texts=texts, seed=1),
    )
    made = state._method
    assert (isinstance(made, Topicwise) and made._rounds) is (scope in METHODS[method].rounds)
