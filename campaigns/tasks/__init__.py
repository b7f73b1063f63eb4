from campaigns.tasks.advising import advise, advise_where_due
from campaigns.tasks.periodic import catch_up, heartbeat, prune_events
from campaigns.tasks.recomputing import recompute, request_recompute

__all__ = [
    "advise",
    "advise_where_due",
    "catch_up",
    "heartbeat",
    "prune_events",
    "recompute",
    "request_recompute",
]
