"""Topics offered to assessors: how far each is in them, what is drawn for them, and what they take."""
