"""Bundles: a whole campaign as one signed zip, written, read and imported."""
