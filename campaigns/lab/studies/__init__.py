"""Studies by name: their figures, their text, and where their trials are kept."""
