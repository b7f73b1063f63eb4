"""Measures and their bounds on arrays of gains."""
