"""Runs that teams hand in until a deadline, their admission to the campaign, and what is published."""
