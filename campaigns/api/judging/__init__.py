"""Endpoints of assessors: judgments and the next document, notes, search, training, examples."""
