"""Members of a campaign, their invitations, tokens and workload."""
