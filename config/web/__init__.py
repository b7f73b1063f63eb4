"""The web server's side of every request: connections, bodies, headers, refusals and static files."""
