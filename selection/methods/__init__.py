"""Methods that choose the next document: one file a method or a family of methods."""
