"""Operating the site: backup and restore, health, figures for monitoring, and deletion for good."""
