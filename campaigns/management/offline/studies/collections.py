"""A campaign of files as the data of a study."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from evaluation.arrays import IntArray
from selection.studies.known_collection import KnownCollection, KnownTopic


def known_collection(campaign: JudgedCollection, grading: Grading, groups: IntArray) -> KnownCollection:
    """The topics that a run answers and the qrels judge; `groups` (runs,) has equal numbers for the runs of
    one participant."""
    graded = grading.gains is None and max(campaign.grades, default=0) > 1
    topics = [
        _known_topic(topic, grading, graded) for topic in campaign.topics if topic.grades and topic.is_ranked
    ]
    return KnownCollection(campaign.runs, topics, groups)


def _known_topic(topic: JudgedTopic, grading: Grading, graded: bool) -> KnownTopic:
    ranked = set(topic.docnos)
    beyond = [grade for docno, grade in topic.grades.items() if docno not in ranked]
    known = KnownTopic(
        topic.number,
        topic.rankings,
        topic.scores,
        topic.gains(grading),
        np.array([grading.gain(grade) for grade in beyond], np.float64),
    )
    if not graded:
        return known
    return replace(known, grades=topic.grades_by_id(), unranked_grades=np.array(beyond, np.float64))
