"""Collection of a campaign: documents, topics and runs, and the assignment of topics to assessors."""
