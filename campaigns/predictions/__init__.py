"""Predicted scores: computed by the worker, stored, and read as standings and differences of runs."""
