"""Texts of a topic as its file gives them: title, description, narrative, and further fields by name."""
