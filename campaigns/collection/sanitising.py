"""HTML without anything that runs, loads, navigates or dresses up: structure and words stay."""

from __future__ import annotations

import re

import nh3

from campaigns.collection.rendering import shallow
from campaigns.collection.tags import DROPPED, KEPT

_CELL = {"colspan", "rowspan", "align", "valign"}
# No style, class or id: a document wears the page's own clothes, which fit both themes. No href either:
# links are shown and lead nowhere.
_ATTRIBUTES = {
    "*": {"lang", "dir", "title"},
    "td": _CELL,
    "th": _CELL | {"scope"},
    "col": {"span"},
    "colgroup": {"span"},
    "ol": {"start", "type", "reversed"},
    "li": {"value"},
    "img": {"src", "alt", "width", "height"},
    "time": {"datetime"},
}
_CARRIED_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|bmp);base64,[A-Za-z0-9+/=\s]*\Z")


def sanitised(html: str) -> str:
    """HTML that can be put into any page: nothing in it runs, asks the network for anything, submits or leads
    away. Images stay if they are carried in the document itself; of others their description stays.

    Examples
    --------
    >>> sanitised("<p onclick='x()'>One <a href='javascript:x()'>link</a><script>x()</script>")
    '<p>One <a>link</a></p>'
    """
    return nh3.clean(
        shallow(html),
        tags=set(KEPT),
        clean_content_tags=set(DROPPED),
        attributes=_ATTRIBUTES,
        attribute_filter=_kept,
        link_rel=None,
        url_schemes={"data"},
        url_relative="deny",
    )


def _kept(tag: str, name: str, value: str) -> str | None:
    if (tag, name) == ("img", "src"):
        return value if _CARRIED_IMAGE.match(value) else None
    return value
