"""Content of single documents, read by separate processes: characters, title, HTML, Markdown, WARC body."""
