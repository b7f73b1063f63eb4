"""Duplicates among the documents of a collection: found by their texts, and listed."""
