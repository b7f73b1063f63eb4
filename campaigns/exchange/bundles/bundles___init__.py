"""A campaign as one file: a zip of JSON and JSON lines, with a checksum of each and one signature over all.

Rows are named as files name them: a topic by its number, a run by its tag, a person by the account's name. A
document has the number by which draws know it (see Collection.origin), so that a copy draws the same."""
