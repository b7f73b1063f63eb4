"""Shapes of what assessors send and get."""
