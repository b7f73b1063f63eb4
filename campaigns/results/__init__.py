"""Results for pages and API: score ranges, pairs, queues, curves and figures."""
