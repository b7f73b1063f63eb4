"""Notifications sent by the site: emails, and webhooks with their deliveries."""
