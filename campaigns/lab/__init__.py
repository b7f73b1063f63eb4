"""The Lab: studies and replays on runs and qrels."""
