"""Docstrings are marked up for a documentation builder; an assessor reads them as plain text."""

from __future__ import annotations

import re

_ROLE = re.compile(r":(?:[a-z]+:)?[a-z]+:`~?(?:[^`<]*<)?([^`<>]+)>?`")
_LITERAL = re.compile(r"``([^`]+)``")
_LINK = re.compile(r"`([^`<]+?)\s*<([^`>]+)>`__?")
_FOOTNOTE = re.compile(r"\[(\w+)\]_")
_FOOTNOTE_TEXT = re.compile(r"^([ ]*)\.\. \[", re.MULTILINE)
_CODE_FOLLOWS = re.compile(r"[ ]*::$", re.MULTILINE)
# SciPy draws some examples' samples on import: not the same text twice, and no reader needs the numbers.
_VARIES = re.compile(r"^([ ]*)[^\n]*# may vary$", re.MULTILINE)
_VERSION = re.compile(r"^([ ]*)\.\. (versionadded|versionchanged|deprecated):: *(\S+) *", re.MULTILINE)
_VERSION_WORDS = {"versionadded": "New in", "versionchanged": "Changed in", "deprecated": "Deprecated in"}
_ADMONITION = re.compile(
    r"^([ ]*)\.\. (note|warning|seealso|tip|important|caution|rubric)::[ ]*", re.MULTILINE
)
_FORMULA = re.compile(r"^([ ]*)\.\. math::[ ]*(?:\n[ ]*:\w+:[^\n]*)?(?:\n(?=\n))?", re.MULTILINE)
# Directives that only steer the builder, with their options but not what they enclose.
_STEERING = re.compile(
    r"^[ ]*\.\. (?:currentmodule|module|autosummary|index|only|highlight|plot|toctree|code|code-block"
    r"|sourcecode|_[^:\n]+)::?[^\n]*\n(?:[ ]+:\w[\w-]*:[^\n]*\n)*",
    re.MULTILINE,
)


def plain_text(text: str) -> str:
    """The text without markup: nothing that was to be read is taken away."""
    text = _STEERING.sub("", text)
    text = _VERSION.sub(lambda found: f"{found[1]}{_VERSION_WORDS[found[2]]} version {found[3]}: ", text)
    text = _ADMONITION.sub(lambda found: f"{found[1]}{found[2].capitalize()}: ", text)
    text = _FORMULA.sub(r"\1    ", text)
    text = _ROLE.sub(r"`\1`", text)
    text = _LINK.sub(r"\1 (\2)", text)
    text = _LITERAL.sub(r"`\1`", text)
    text = _FOOTNOTE_TEXT.sub(r"\1[", _FOOTNOTE.sub(r"[\1]", text))
    text = _VARIES.sub(r"\1(varies)", _CODE_FOLLOWS.sub(":", text))
    text = "\n".join(line.rstrip() for line in text.expandtabs(4).splitlines())
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")
