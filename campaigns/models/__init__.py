from campaigns.models.campaign import Campaign, LogHead, Membership
from campaigns.models.collection import Collection, Document
from campaigns.models.computed import Advice, Computed, Interval, Outlook, Priority, Sample, Snapshot, Tally
from campaigns.models.drawing import Drawing
from campaigns.models.event import Event, Heartbeat
from campaigns.models.invitation import Invitation
from campaigns.models.judgment import Claim, Judgment, Postponement, Repeat
from campaigns.models.language import PreferredLanguage
from campaigns.models.loading import Loading
from campaigns.models.log import Deed
from campaigns.models.mail import SentMail
from campaigns.models.notifications import Delivery, Webhook, WebhookEvent
from campaigns.models.people import ApiToken, TokenScope
from campaigns.models.runs import Ranking, Run
from campaigns.models.topics import Topic, TopicAssignment, TopicRevision
from campaigns.models.training import TrainingAnswer, TrainingItem

__all__ = [
    "Advice",
    "ApiToken",
    "Campaign",
    "Claim",
    "Collection",
    "Computed",
    "Deed",
    "Delivery",
    "Document",
    "Drawing",
    "Event",
    "Heartbeat",
    "Interval",
    "Invitation",
    "Judgment",
    "Loading",
    "LogHead",
    "Membership",
    "Outlook",
    "Postponement",
    "PreferredLanguage",
    "Priority",
    "Ranking",
    "Repeat",
    "Run",
    "Sample",
    "SentMail",
    "Snapshot",
    "Tally",
    "TokenScope",
    "Topic",
    "TopicAssignment",
    "TopicRevision",
    "TrainingAnswer",
    "TrainingItem",
    "Webhook",
    "WebhookEvent",
]
