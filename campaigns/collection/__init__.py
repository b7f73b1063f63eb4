"""What an organiser brings: documents, topics and runs, and who judges which topic."""
