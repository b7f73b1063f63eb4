"""Due dates: what assessors have left until then, the pace it takes, and reminders."""
