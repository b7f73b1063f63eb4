"""What pages and API read: score ranges, pairs, queues, curves and figures."""
