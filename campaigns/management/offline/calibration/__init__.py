"""Calibration of predictions, forecasts and plans: its trials on collections, its table and its picture."""
