"""Server-sent events: one Redis subscription a process, written out once for all pages of a campaign."""
