from campaigns.computing.tasks import catch_up, heartbeat, prune_events, recompute
from campaigns.exchange.tasks import load, load_where_due
from campaigns.judging.tasks import count, count_where_due
from campaigns.notifications.tasks import deliver, post_where_due, tell_progress
from campaigns.results.tasks import draw
from campaigns.stopping.tasks import advise, advise_where_due, go_on, plan_where_due

__all__ = [
    "advise",
    "advise_where_due",
    "catch_up",
    "count",
    "count_where_due",
    "deliver",
    "draw",
    "go_on",
    "heartbeat",
    "load",
    "load_where_due",
    "plan_where_due",
    "post_where_due",
    "prune_events",
    "recompute",
    "tell_progress",
]
