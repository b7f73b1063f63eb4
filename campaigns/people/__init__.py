"""Members of a campaign, their invitations, tokens and workload; accounts, their sessions and reset links."""
