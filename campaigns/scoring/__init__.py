"""Judged collections and how measures score them: the same for the site's rows and for files."""
