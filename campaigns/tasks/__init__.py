from campaigns.tasks.periodic import catch_up, heartbeat
from campaigns.tasks.recomputing import recompute, request_recompute

__all__ = ["catch_up", "heartbeat", "recompute", "request_recompute"]
