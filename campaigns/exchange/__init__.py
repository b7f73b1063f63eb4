"""What enters and leaves as files: qrels, prels, datasets, exports, bundles."""
