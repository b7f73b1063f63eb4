"""Remove white space that a browser does not show: tests of pages hold however templates are indented."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpResponse
from django.test import Client

# No-break spaces are shown.
SPACE = r"[ \t\r\n\f]"
# As they are: white space counts there.
KEPT = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.DOTALL)
TAG = re.compile(r"<[a-z!/](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
# Around these a browser shows none.
BLOCK = (
    "article|aside|body|button|caption|col|colgroup|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|"
    "footer|form|h[1-6]|head|header|html|legend|li|link|main|meta|nav|ol|optgroup|option|p|section|select|"
    "summary|table|tbody|td|tfoot|th|thead|title|tr|ul"
)
BLOCKS = re.compile(rf"{SPACE}*(</?(?:{BLOCK})\b[^<>]*>){SPACE}*", re.IGNORECASE)


def squeezed(html: str) -> str:
    """White space as one space, none inside of a tag's ends and beside blocks.

    >>> squeezed('<p\\n  class="x"\\n>\\n  <b>a</b>\\n  <i>b</i>\\n</p>\\n')
    '<p class="x"><b>a</b> <i>b</i></p>'
    """
    parts = KEPT.split(html)
    # Of each match, `split` gives the whole and the element's name, too.
    shown = [_squeezed_part(part) for part in parts[::3]]
    kept = [*parts[1::3], ""]
    return "".join(one for pair in zip(shown, kept, strict=True) for one in pair)


def _squeezed_part(html: str) -> str:
    html = TAG.sub(lambda tag: re.sub(r"\s+(/?>)$", r"\1", tag[0]), re.sub(rf"{SPACE}+", " ", html))
    return BLOCKS.sub(r"\1", html)


def squeeze_pages() -> None:
    """Do so for all pages that a test client receives."""
    request = Client.request

    def squeezed_request(client: Client, **environ: Any) -> Any:
        response = request(client, **environ)
        if isinstance(response, HttpResponse) and response.headers.get("Content-Type", "").startswith(
            "text/html"
        ):
            response.content = squeezed(response.content.decode()).encode()
        return response

    Client.request = squeezed_request  # type: ignore[method-assign, assignment]
