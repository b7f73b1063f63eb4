"""The organiser's pages: one file a page."""
