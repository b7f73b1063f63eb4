"""Teams and the runs that they hand in."""
