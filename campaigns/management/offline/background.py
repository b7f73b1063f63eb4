"""The background rate of relevance, fitted to a campaign's own judgments."""

from __future__ import annotations

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineCampaign, OfflineTopic
from evaluation.arrays import IntArray
from evaluation.estimation.points import BackgroundRate, background_rate

# Ravana and Moffat 2010, Figure 1.
DEPTH = 100


def fitted_background(campaign: OfflineCampaign, grading: Grading, depth: int = DEPTH) -> BackgroundRate:
    """From all documents that some run has in its top `depth`; ValueError if they determine no cubic."""
    requests = [_requests(topic, depth) for topic in campaign.topics]
    gains = [topic.gains(grading) for topic in campaign.topics]
    asked, known = np.concatenate(requests), np.concatenate(gains)
    pooled = asked > 0
    return background_rate(asked[pooled], known[pooled])


def _requests(topic: OfflineTopic, depth: int) -> IntArray:
    """By how many runs each document is asked for, (documents,)."""
    tops = [ranking[:depth] for ranking in topic.rankings if ranking is not None]
    return np.bincount(np.concatenate(tops), minlength=len(topic.docnos)) if tops else np.zeros(0, np.int64)
