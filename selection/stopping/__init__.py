"""When to stop: tests on score ranges and on confidence."""
