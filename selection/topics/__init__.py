"""Selection of topics to judge, so that the runs' means over few topics are like their means over all
(Hosseini and others 2012)."""
