"""Live search engines: connections, query templates, and pulls that make runs of their answers."""
