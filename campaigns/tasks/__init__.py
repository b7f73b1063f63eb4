from campaigns.tasks.periodic import catch_up, heartbeat, prune_events
from campaigns.tasks.recomputing import recompute, request_recompute

__all__ = ["catch_up", "heartbeat", "prune_events", "recompute", "request_recompute"]
