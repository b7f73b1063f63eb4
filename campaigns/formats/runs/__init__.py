"""TREC runs: files, the reader of their lines, the lines as columns, and the report of what was odd."""
