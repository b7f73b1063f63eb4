"""How good judgments are: training, agreement, disagreements and their adjudication."""
