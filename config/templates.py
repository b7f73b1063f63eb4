"""Templates without their indentation, which would be half of the bytes of a page with long tables."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

# Translators' messages keep theirs: it belongs to the key by which they are found.
_INDENTATION = re.compile(r"(\{% blocktrans.*?\{% endblocktrans\w* %\})|\n[ \t]+", re.DOTALL)


class Loader(filesystem.Loader):
    """Load files of `DIRS`, and indent no line of HTML. Lines keep their numbers."""

    def get_contents(self, origin: Origin) -> str:
        contents = super().get_contents(origin)
        return without_indentation(contents) if str(origin.name).endswith(".html") else contents


def without_indentation(template: str) -> str:
    return _INDENTATION.sub(lambda found: found[1] or "\n", template)
