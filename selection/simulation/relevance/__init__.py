"""Model of relevance: its prior from collections, the features it reads, and what judgments say about it."""
