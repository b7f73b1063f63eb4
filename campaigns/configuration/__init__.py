"""Grading scales and the selection methods that a campaign may serve, as rules of the domain."""
