"""Studies of the papers, on runs and qrels of files: the collection they read and the page they write."""
