"""Every folder's Celery tasks, imported here so that Celery's autodiscovery finds them."""

from campaigns.collection import tasks as collection
from campaigns.computing import tasks as computing
from campaigns.due_dates import tasks as due_dates
from campaigns.duplicates import tasks as duplicates
from campaigns.engines import tasks as engines
from campaigns.exchange import tasks as exchange
from campaigns.figures import tasks as figures
from campaigns.judging import tasks as judging
from campaigns.lab import tasks as lab
from campaigns.measurement import tasks as measurement
from campaigns.notifications import tasks as notifications
from campaigns.operations import tasks as operations
from campaigns.people import tasks as people
from campaigns.stopping import tasks as stopping
from campaigns.topic_order import tasks as topic_order

__all__ = [
    "collection",
    "computing",
    "due_dates",
    "duplicates",
    "engines",
    "exchange",
    "figures",
    "judging",
    "lab",
    "measurement",
    "notifications",
    "operations",
    "people",
    "stopping",
    "topic_order",
]
