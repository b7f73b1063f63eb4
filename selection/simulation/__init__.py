"""Replays against known qrels, and simulated relevance for forecasts and plans."""
