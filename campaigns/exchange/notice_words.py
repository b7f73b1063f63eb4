"""Notices about files in the reader's language. Readers of files make them in English, as they are stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_noop as _

# As `campaigns/formats` has them; a value in braces stands for anything.
NOTICES = (
    _("documents listed twice"),
    _("Lines that name a docno a second time in their topic; the best was kept and the gap closed."),
    _("header line"),
    _("The first line names the columns; it is no part of the run."),
    _("The first line names the columns; it is no judgment."),
    _("The first line names the columns: {names}"),
    _("lines with more than six columns"),
    _("Columns after the tag were left out."),
    _("tags"),
    _("The lines carry several tags; the run is named by its file."),
    _("tied scores"),
    _("Lines that share their score with another of their topic; ties go by docno, descending."),
    _("scores equal as 32-bit floats"),
    _("Neighbours whose scores differ as written and are equal as 32-bit floats, which decide."),
    _("neighbours in the other order in trec_eval 9.0.8 and older"),
    _("Their scores are equal as 32-bit floats, which these versions compare; there, ties go by docno."),
    _("lines out of order"),
    _("Lines that stand below a line of lower score; the score decides, not the place in the file."),
    _("ranks that contradict the scores"),
    _("Lines whose rank is better than that of a line with a higher score; the rank column is ignored."),
    _("topics whose scores grow with the rank"),
    _("As distances do: the highest score is taken for the best, so their lists are upside down."),
    _("topics whose scores are all equal"),
    _("The docnos alone order them, descending, and not the place in the file."),
    _("topics with ranks from 0"),
    _("The rank column is ignored; the best document is at rank 1."),
    _("topics with all ranks 0"),
    _("The rank column is ignored; the scores decide."),
    _("ranks that are not numbers"),
    _("The rank column is ignored."),
    _("second columns other than Q0"),
    _("The second column is ignored."),
    _("lists shorter than the run's longest"),
    _("The longest has {n} documents; a short list keeps what it lacks as residual."),
    _("comment lines"),
    _("Lines that begin with # were left out."),
    _("blank lines"),
    _("Lines without a word were left out."),
    _("lines that end with CR LF"),
    _("Read like lines that end with LF."),
    _("byte order mark"),
    _("The mark at the beginning of the file was left out."),
    _("byte-order mark at the beginning"),
    _("It was left out."),
    _("last line without a line end"),
    _("Taken whole: the last line may be cut short, have a look."),
    _("no line end at the end of the file"),
    _("The last line may be cut off; check it."),
    _("topics missing"),
    _("the run has no list for them: base 0, residual 1, and counted in every mean"),
    _("grade -1"),
    _("In the pool and not judged: left out of the judgments."),
    _("grade -2"),
    _("Junk: judged, and not relevant."),
    _("repeated lines"),
    _("Lines that say again what an earlier line says; they count once."),
    _("second column other than 0 or Q0"),
    _("It is ignored, whatever it says."),
    _("grades mapped: {pairs}"),
    _("File grade = campaign grade; what became none was left out."),
    _("ranks in place of scores"),
    _("The file has no scores: its ranks order the documents."),
    _("topic fields left out: too many"),
    _("A topic has {n} further fields at most: {names}"),
    _("names of topic fields cut"),
    _("A name has {n} characters at most: {names}"),
    _("comments"),
    _("Comments in the markup were left out."),
    _("text outside of topics"),
    _("Elements whose text or attributes belong to no topic: {names}"),
    _("documents without text"),
    _("{n} of {all} documents: {names}"),
    _("pages that show nothing"),
    _("pages that show nothing, but had {kinds}"),
    _("titles cut"),
    _("A title has {n} characters: {names}"),
    _("metadata fields cut"),
    _("A document’s fields have {n} characters in total: {names}"),
    _("metadata fields left out: too many or too long"),
    _(
        "A document has {n} fields and {characters} characters in total; a name has 1 to {longest} "
        "characters: {names}"
    ),
    _("documents shown as plain text: too costly to render"),
    _("Rendering takes over {n} seconds or {size} MiB: {names}"),
    _("Rendering takes over {n} seconds or {size} MiB: {names}; after {most}, the rest was not rendered"),
    _("docnos with a folder, as several files have one name"),
    _("headers of WARC and HTTP not stored"),
    _("The address and the date of each page are metadata."),
    _("records left out: {name}"),
    _("No HTML page."),
    _("field “{name}” not read"),
    _("In {n} of {all} documents."),
    _("In {n} of {all} topics."),
    _("In {n} of {all} rows."),
    _("In {n} of {all} documents. {why}"),
    _("In {n} of {all} topics. {why}"),
    _("It numbers other documents."),
    _("A field is a string, a number, true, false, or a list of these."),
    _("refused: documents would be empty"),
    _(
        "{n} of {all} documents would be empty beside the field “{name}”: choose it as the text (text_field "
        "in a request, --text-field in a command), or rename it “text”"
    ),
    _("left out: further files"),
    _("left out: {name}"),
    _("Not named here."),
    _("Not named here: {names}"),
    _("other notices about documents"),
    _("other notices about topics"),
    _("other notices about rows"),
)
_PLACE = re.compile(r"\\?\{(\w+)\\?\}")


def translated_notice(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a report in the reader's language."""
    return {**row, "what": notice_text(row.get("what", "")), "detail": notice_text(row.get("detail", ""))}


def notice_text(said: str) -> str:
    """The sentence in the reader's language; as it is, if readers of files have no such sentence."""
    if not said or (get_language() or "en").startswith("en"):
        return said
    if said in NOTICES:
        return gettext(said)
    for words, pattern in _patterns():
        if found := pattern.fullmatch(said):
            return _filled(gettext(words), found.groupdict())
    return said


def _filled(words: str, values: dict[str, str]) -> str:
    if "why" in values:
        values["why"] = notice_text(values["why"])
    return _PLACE.sub(lambda place: values[place[1]], words)


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Sentences with values, those first that leave the fewest characters to them."""
    return [
        (words, re.compile(_PLACE.sub(r"(?P<\1>.+?)", re.escape(words)), re.DOTALL))
        for words in sorted(NOTICES, key=lambda words: -len(_PLACE.sub("", words)))
        if "{" in words
    ]
