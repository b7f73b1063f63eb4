"""The pages that set a campaign up and change it."""
