"""The API of search engines: connections, query configurations and pulls."""
