"""A campaign of files as the data of a study."""

from __future__ import annotations

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineCampaign, OfflineTopic
from evaluation.arrays import IntArray
from selection.studies.papers.collection import KnownCollection, KnownTopic


def known_collection(campaign: OfflineCampaign, grading: Grading, groups: IntArray) -> KnownCollection:
    """The topics that a run answers and the qrels judge; `groups` (runs,) has equal numbers for the runs of
    one participant."""
    topics = [_known_topic(topic, grading) for topic in campaign.topics if topic.grades and topic.is_ranked]
    return KnownCollection(campaign.runs, topics, groups)


def _known_topic(topic: OfflineTopic, grading: Grading) -> KnownTopic:
    ranked = set(topic.docnos)
    unranked = [grading.gain(grade) for docno, grade in topic.grades.items() if docno not in ranked]
    return KnownTopic(
        topic.number, topic.rankings, topic.scores, topic.gains(grading), np.array(unranked, np.float64)
    )
