"""Results: exports, figures and the printed report."""
