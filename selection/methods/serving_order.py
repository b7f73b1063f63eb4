"""Orders in which documents that were chosen beforehand are served, other than that of the method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evaluation.arrays import IntArray
from selection.framework.interface import Setting
from selection.framework.topicwise import FixedOrder
from selection.methods.random import lasting_numbers


def serving_places(setting: Setting, topic: int, documents: IntArray) -> IntArray:
    """Places (k,) of these documents, given by pool index, in the order in which they are served.

    By lasting random numbers or by docno, as the setting says; as given where the method orders them.
    """
    if setting.serving_order == "random":
        return np.argsort(lasting_numbers(setting, topic, "serving")[documents], kind="stable")
    if setting.serving_order == "docno":
        ids = setting.pools[topic].documents[documents]
        return np.argsort(ids if setting.sort_key is None else setting.sort_key(ids), kind="stable")
    return np.arange(len(documents))


def reordered(setting: Setting, topic: int, order: FixedOrder) -> FixedOrder:
    """The same documents in the order in which they are served. Weights stay at their places."""
    places = serving_places(setting, topic, order.documents)
    inclusion = None if order.inclusion is None else order.inclusion[places]
    return replace(order, documents=order.documents[places], inclusion=inclusion)
