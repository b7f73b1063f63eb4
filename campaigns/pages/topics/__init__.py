"""Pages about topics: the table, one topic, what is done to many, and their order."""
