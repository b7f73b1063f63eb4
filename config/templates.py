"""Templates without their indentation, which would be half of the bytes of a page with long tables."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

_INDENTATION = re.compile(r"\n[ \t]+")
# Translators' messages keep theirs: it belongs to the key by which they are found.
_MESSAGE = re.compile(r"(\{% (?:end)?blocktrans)")


class Loader(filesystem.Loader):
    """Load files of `DIRS`, and indent no line of HTML. Lines keep their numbers."""

    def get_contents(self, origin: Origin) -> str:
        contents = super().get_contents(origin)
        return without_indentation(contents) if str(origin.name).endswith(".html") else contents


def without_indentation(template: str) -> str:
    parts = _MESSAGE.split(template)
    # Every other part is a tag, which begins or ends a message.
    tags = ["", *parts[1::2]]
    shown = (
        text if tag == "{% blocktrans" else _INDENTATION.sub("\n", text)
        for tag, text in zip(tags, parts[::2], strict=True)
    )
    return "".join(one for pair in zip(tags, shown, strict=True) for one in pair)
