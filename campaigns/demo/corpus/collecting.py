from __future__ import annotations

from collections.abc import Callable

from campaigns.demo.corpus.discovery import canonical_objects
from campaigns.demo.corpus.documents import Document, without_twins
from campaigns.demo.corpus.importing import import_all
from campaigns.demo.corpus.libraries import importable_modules
from campaigns.demo.corpus.living import documents_of
from campaigns.demo.corpus.sources import documents_in_sources


def collect(progress: Callable[[float], None] = lambda share: None) -> list[Document]:
    """Every document of this installation, docnos ascending."""
    modules = import_all(importable_modules(), lambda share: progress(0.5 * share))
    living = list(documents_of(modules, canonical_objects(modules)))
    progress(0.8)
    sources = list(documents_in_sources("django"))
    progress(1.0)
    return without_twins([*living, *sources])
