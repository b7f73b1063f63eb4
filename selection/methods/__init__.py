"""Which document next: one file a method or a family of methods."""
