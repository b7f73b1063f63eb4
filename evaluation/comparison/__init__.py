"""Runs against each other: significance, decided pairs, variance, rank correlation."""
