"""What a file is, by its first bytes: one recogniser for pages, API and commands."""
