"""What assessors do: judgments and the next document, notes, search, training, examples."""
