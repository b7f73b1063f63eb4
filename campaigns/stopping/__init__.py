"""Whether to stop, and what further judgments would buy."""
