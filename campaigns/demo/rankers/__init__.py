"""Rankers: from an index and queries to scores of shape (queries, documents), -inf where not retrieved."""
