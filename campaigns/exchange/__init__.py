"""Exchange of files: qrels, prels, datasets, exports, bundles."""
