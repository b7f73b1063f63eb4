"""Studies of topic selection (Hosseini and others 2012)."""
