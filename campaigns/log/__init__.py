"""The append-only log of judgments, its audit events, and every reading of what holds now."""
