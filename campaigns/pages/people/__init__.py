"""Pages of members, their emails, and invitations."""
