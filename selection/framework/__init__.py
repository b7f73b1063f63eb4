"""What every method shares: its interface, options, walks over a pool, thresholds."""
