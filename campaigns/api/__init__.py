"""The REST API: one file a resource; views parse, call a room, and answer."""
