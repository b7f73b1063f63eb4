"""Sentences of pages that have several forms: each is chosen here, and tested, not in a template."""
