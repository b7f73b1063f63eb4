"""Reading and writing the field's files: runs, qrels, topics, collections. Pure parsing: no tables.

Every reader takes a path or an open binary file, plain or packed (`.gz .xz .zst`, found by its first bytes),
and either returns everything or raises one `FormatError` that lists what is wrong, line by line.
"""
