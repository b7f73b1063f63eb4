"""Duplicates among the documents of a collection: found by their texts, listed, and judged together."""
