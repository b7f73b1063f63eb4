"""Pages about how far judgments can be relied on: flags and exclusions, imports, adjudication, training."""
