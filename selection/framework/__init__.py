"""Common ground of the methods: interface, options, walks over a pool, thresholds."""
