"""The documents of the demonstration: docstrings of what an installation's libraries make public."""

from campaigns.demo.corpus.collecting import collect
from campaigns.demo.corpus.documents import Document

__all__ = ["Document", "collect"]
