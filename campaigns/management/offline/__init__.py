"""Common ground of the commands on files: options, reading, scoring, output."""

# `manage.py` runs them without Django.
FILE_COMMANDS = ("evaluate", "compare", "simulate", "select_topics", "study", "plan", "calibrate")
