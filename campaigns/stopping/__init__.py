"""Advice on stopping, and on the benefit of further judgments."""
