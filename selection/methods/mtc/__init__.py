"""Minimal test collections (Carterette et al. 2008)."""
