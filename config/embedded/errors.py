class EmbeddedError(Exception):
    """Something the person at the terminal can understand and mend; its text is shown as it is."""
