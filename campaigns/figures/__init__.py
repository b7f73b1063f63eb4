"""Figures for papers: score ranges, convergence and topics, drawn by the worker."""
