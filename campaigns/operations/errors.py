"""What keeps an operator's command from its work; the text is shown as it is."""


class OperationError(Exception):
    """Its text states what happened, and what to do."""
