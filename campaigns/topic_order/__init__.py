"""In which order topics are judged, and which of them are released to assessors."""
