"""Scores of runs by the campaign's measures, and the judgments that they are computed from."""
