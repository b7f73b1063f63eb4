"""What leaves the site unasked: emails, and webhooks with their deliveries."""
