"""Stop tests on score ranges and on confidence."""
