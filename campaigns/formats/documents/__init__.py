"""Documents of collections: files of many, files that are one document, WARC files, and their metadata."""
