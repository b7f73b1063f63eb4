"""Scores estimated from incomplete or sampled judgments."""
