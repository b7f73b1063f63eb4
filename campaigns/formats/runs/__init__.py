"""TREC runs: files, the reader of their lines, the lines as columns, the report of what was odd, several runs
side by side and their cache."""
