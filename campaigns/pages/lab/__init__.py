"""The Lab's pages: collections, jobs and their results, each account its own."""
