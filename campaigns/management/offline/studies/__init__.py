"""Studies on runs and qrels: their trials, tables and charts, and the calibration of predictions."""
