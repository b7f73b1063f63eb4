from campaigns.models.campaign import Campaign, LogHead, Membership
from campaigns.models.collection import Collection, Document
from campaigns.models.computed import Computed, Interval, Priority, Snapshot
from campaigns.models.event import Event, Heartbeat
from campaigns.models.judgment import Claim, Judgment, Postponement
from campaigns.models.run import Ranking, Run
from campaigns.models.topic import Topic, TopicRevision

__all__ = [
    "Campaign",
    "Claim",
    "Collection",
    "Computed",
    "Document",
    "Event",
    "Heartbeat",
    "Interval",
    "Judgment",
    "LogHead",
    "Membership",
    "Postponement",
    "Priority",
    "Ranking",
    "Run",
    "Snapshot",
    "Topic",
    "TopicRevision",
]
