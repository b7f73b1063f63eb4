"""Live parts of the overview: convergence, topic cells, and the panels of its stream."""
