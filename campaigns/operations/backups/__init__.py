"""Backups of a site: written, checked, and restored by the same or a later version."""
