"""Bytes as text, by the encodings that the web knows: a page names its own, and may name anything."""

from __future__ import annotations

import codecs
import re

# The encodings of the WHATWG list, by their names in Python. Python has further codecs that are no encodings
# of pages (punycode, idna, unicode_escape); some take quadratic time.
_NAMES = {
    *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp866", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *(f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
    *("cp874", *(f"cp125{page}" for page in range(9))),
    *("gbk", "gb18030", "big5hkscs", "euc_jp", "iso2022_jp", "cp932", "cp949"),
}
# As browsers do, a narrower encoding is read as the wider one that pages mean by its name.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gbk",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_LABEL = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,39}")
_OWN_LABELS = {
    "dos-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "koi": "koi8-r",
    "koi8-ru": "koi8-u",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "x-x-big5": "big5",
}

_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_META = re.compile(rb"<meta\b[^<>]*", re.IGNORECASE)
_CHARSET = re.compile(r"""charset\s*=\s*(?:["']\s*)?([\w.:-]{1,40})""", re.IGNORECASE)
_LONGEST_HEAD = 4096


def encoding_named(label: str) -> str:
    """Python's name of the encoding that a page means by `label`; empty if the web knows none of that name.

    >>> encoding_named("Latin1"), encoding_named("windows-1251"), encoding_named("punycode")
    ('cp1252', 'cp1251', '')
    """
    plain = label.strip().lower()
    if not _LABEL.fullmatch(plain):
        return ""
    known = _OWN_LABELS.get(plain, plain.removeprefix("x-").replace("windows-", "cp"))
    try:
        name = codecs.lookup(known).name
    except (LookupError, ValueError):
        return ""
    name = _WIDER.get(name, name)
    return name if name in _NAMES else ""


def charset_in(words: str) -> str:
    """The label behind `charset=` in a header or an element; empty if there is none."""
    found = _CHARSET.search(words)
    return found[1] if found else ""


def decode_text(data: bytes, *, declares: bool, charset: str = "") -> str:
    """Text by its byte order mark, as UTF-8, by `charset`, or by what an HTML page says of itself. A mark
    replaces what cannot be read: the rest is worth reading all the same."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        label = charset or (_declared(data[:_LONGEST_HEAD]) if declares else "")
    return data.decode(encoding_named(label) or "utf-8", "replace")


def _declared(head: bytes) -> str:
    """Charset of the first `<meta>` that names one. A head that was readable so far is not in UTF-16."""
    tags = (charset_in(tag[0].decode("ascii", "replace")) for tag in _META.finditer(head))
    label = next(filter(None, tags), "")
    return "" if encoding_named(label).startswith("utf-16") else label
