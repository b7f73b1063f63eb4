"""Agreement of assessors beyond chance."""
