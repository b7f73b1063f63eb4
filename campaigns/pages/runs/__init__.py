"""Pages about runs: the table, one run, and two beside each other."""
