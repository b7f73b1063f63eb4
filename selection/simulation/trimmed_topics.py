"""Topics without the ends of lists that no other run supports, and without unjudged documents that every run
ranks deep."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.framework.interface import Setting
from selection.judgments import Judgments
from selection.pool import Pools, TopicPool

# Unjudged documents that no run ranks so high count as not relevant: TREC's pools end there, too.
POOL_DEPTH = 100


@dataclass(frozen=True, eq=False)
class TrimmedTopic:
    """One topic.

    The end of a list is what the run ranks behind its last document that another run ranks, too, or that is
    judged relevant. Whatever a run appends to its list, if no other run ranks it and it is not judged
    relevant, belongs to the end and leaves all else here as it is.

    pool : the documents outside of ends that are judged, or ranked down to `POOL_DEPTH` by some run
    place : int (documents,), where each of them is in the whole pool
    gains : float64 (documents,), NaN = not judged
    last : int (runs,), the greatest rank before the run's end; 0 where all of the list is its end
    end_run, end_rank : int (entries,), unjudged documents in ends, down to `POOL_DEPTH`, by run and rank
    """

    pool: TopicPool
    place: IntArray
    gains: FloatArray
    last: IntArray
    end_run: IntArray
    end_rank: IntArray


def trimmed_topic(pool: TopicPool, gains: FloatArray, threshold: float, runs: int) -> TrimmedTopic:
    """Trim one topic.

    Parameters
    ----------
    pool : TopicPool
    gains : ndarray of float64, shape (documents,)
        By pool index, NaN = not judged.
    threshold : float
        A document is relevant if its gain is above this.
    runs : int
        The pool's run indices are below this.

    Returns
    -------
    TrimmedTopic

    References
    ----------
    This project's choice; the depth after Carterette and others 2008, section 4.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> lists = [np.array([5, 6]), np.array([6, 7, 8])]
    >>> found = trimmed_topic(build_topic_pool(lists, 0.5, np.ones(2, bool)), np.full(4, np.nan), 0.0, 2)
    >>> found.pool.documents.tolist(), found.last.tolist(), found.end_rank.tolist()
    ([6, 5], [2, 1], [2, 3])
    """
    count = np.diff(pool.start)
    of = np.repeat(np.arange(len(pool)), count)
    run, rank, judged = pool.run.astype(np.int64), pool.rank.astype(np.int64), ~np.isnan(gains)
    supported = (count > 1) | (judged & (np.nan_to_num(gains) > threshold))
    last = np.zeros(runs, dtype=np.int64)
    np.maximum.at(last, run[supported[of]], rank[supported[of]])
    in_end = rank > last[run]
    # What is in an end is ranked by that run alone.
    outside = np.ones(len(pool), dtype=np.bool_)
    outside[of[in_end]] = False
    highest = np.full(len(pool), np.iinfo(np.int64).max)
    np.minimum.at(highest, of, rank)
    mask = outside & (judged | (highest <= POOL_DEPTH))
    at = mask[of]
    start = np.concatenate([[0], np.cumsum(count[mask])]).astype(np.int32)
    trimmed = TopicPool(pool.documents[mask], start, pool.run[at], pool.rank[at], pool.method_a[mask])
    ends = np.flatnonzero(in_end & ~judged[of] & (rank <= POOL_DEPTH))
    ends = ends[np.lexsort((rank[ends], run[ends]))]
    return TrimmedTopic(trimmed, np.flatnonzero(mask), gains[mask], last, run[ends], rank[ends])


def trimmed_setting(setting: Setting) -> tuple[Setting, list[TrimmedTopic]]:
    """The setting with the pools of its trimmed topics, and the judgments of what they hold."""
    topics = [
        trimmed_topic(pool, setting.judgments.gains_of(topic), setting.threshold, setting.runs)
        for topic, pool in enumerate(setting.pools)
    ]
    pools = Pools.of([topic.pool for topic in topics])
    judgments = Judgments(pools, setting.contributing)
    for index, topic in enumerate(topics):
        served = setting.judgments.served_in(index)
        for document in np.flatnonzero(~np.isnan(topic.gains)).tolist():
            judgments.set(index, document, float(topic.gains[document]))
            judgments.note_searched(index, document, int(topic.place[document]) not in served)
    return replace(setting, pools=pools, judgments=judgments), topics
