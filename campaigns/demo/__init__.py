"""The demonstration campaign: documents, topics and runs made of what every installation has.

`corpus` collects the docstrings of public Python interfaces, `index` and `rankers` search them,
`build` writes the result as ordinary TREC files, and `loading` takes those files in through the
services that the pages use. Only `loading` and what it calls knows Django.
"""
