"""Trials of forecasts, plans and predictions on replays with known outcome. No product code imports it."""
