"""Recognition of a file's kind by its first bytes, for pages, API and commands."""
