"""Archives that other tools read: runs, and a whole campaign as a folder with its card."""
