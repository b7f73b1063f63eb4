"""Quality of judgments: training, agreement, disagreements and their adjudication."""
