"""What the commands on files share: options, reading, scoring, output."""
