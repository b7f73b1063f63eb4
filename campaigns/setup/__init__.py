"""Creating, configuring, opening and closing a campaign."""
