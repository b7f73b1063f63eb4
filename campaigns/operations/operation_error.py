"""Error that stops an operator's command; the text is shown as it is."""


class OperationError(Exception):
    """Its text states what happened, and what to do."""
