from campaigns.models.accounts import Attempts, ResetRequest, SignedInSession, TemporaryPassword
from campaigns.models.annotations import Annotation, Question
from campaigns.models.campaign import Campaign, LogHead, Membership
from campaigns.models.collection import Collection, Document, DocumentWords
from campaigns.models.computed import (
    Advice,
    Computed,
    Counterfactual,
    Drawing,
    Interval,
    Outlook,
    Prediction,
    Priority,
    Sample,
    Snapshot,
    Tally,
    TopicOrder,
)
from campaigns.models.judgment import Claim, Judgment, Postponement, Repeat, TrainingAnswer, TrainingItem
from campaigns.models.lab import LabCollection, LabJob, LabTopic, LabTrial
from campaigns.models.log import Deed, Event, Heartbeat
from campaigns.models.notifications import Delivery, SentMail, WaitingEmail, Webhook, WebhookEvent
from campaigns.models.participants import HandIn, Submission, SubmissionPart, Team, TeamMember
from campaigns.models.people import ApiToken, Invitation, PreferredLanguage, TokenScope
from campaigns.models.quality import Exclusion, QrelsImport, QualityFlag
from campaigns.models.runs import Loading, Ranking, Run
from campaigns.models.topics import Topic, TopicAssignment, TopicCompletion, TopicRevision

__all__ = [
    "Advice",
    "Annotation",
    "ApiToken",
    "Attempts",
    "Campaign",
    "Claim",
    "Collection",
    "Computed",
    "Counterfactual",
    "Deed",
    "Delivery",
    "Document",
    "DocumentWords",
    "Drawing",
    "Event",
    "Exclusion",
    "HandIn",
    "Heartbeat",
    "Interval",
    "Invitation",
    "Judgment",
    "LabCollection",
    "LabJob",
    "LabTopic",
    "LabTrial",
    "Loading",
    "LogHead",
    "Membership",
    "Outlook",
    "Postponement",
    "Prediction",
    "PreferredLanguage",
    "Priority",
    "QrelsImport",
    "QualityFlag",
    "Question",
    "Ranking",
    "Repeat",
    "ResetRequest",
    "Run",
    "Sample",
    "SentMail",
    "SignedInSession",
    "Snapshot",
    "Submission",
    "SubmissionPart",
    "Tally",
    "Team",
    "TeamMember",
    "TemporaryPassword",
    "TokenScope",
    "Topic",
    "TopicAssignment",
    "TopicCompletion",
    "TopicOrder",
    "TopicRevision",
    "TrainingAnswer",
    "TrainingItem",
    "WaitingEmail",
    "Webhook",
    "WebhookEvent",
]
