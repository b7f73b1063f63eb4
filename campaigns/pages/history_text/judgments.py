"""What was loaded and downloaded, and what became of the runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.pages.history_text.sentences import Places, Said, listed, said


def documents(detail: dict[str, Any], at: Places) -> Said:
    count = detail["documents"]
    words = ngettext("loaded one document from {file}", "loaded {count} documents from {file}", count)
    return said(words, count=count, file=detail["file"])


def documents_removed(detail: dict[str, Any], at: Places) -> Said:
    count = detail["documents"]
    words = ngettext("took one document out", "took all {count} documents out", count)
    return said(words, count=count)


def source(detail: dict[str, Any], at: Places) -> Said:
    if detail["address"]:
        return said(_("set where the documents can be seen: {address}"), address=detail["address"])
    return said(_("removed where the documents can be seen: {address}"), address=detail["before"])


def topics(detail: dict[str, Any], at: Places) -> Said:
    counts = {name: detail[name] for name in ("added", "revised", "unchanged")}
    if detail["file"]:
        words = _("loaded topics from {file}: {added} new, {revised} reworded, {unchanged} as before")
        return said(words, file=detail["file"], **counts)
    return said(_("loaded topics: {added} new, {revised} reworded, {unchanged} as before"), **counts)


def topics_removed(detail: dict[str, Any], at: Places) -> Said:
    numbers = detail["topics"]
    words = ngettext(
        "took topic {topics} out, with the runs' lists for it",
        "took {count} topics out, with the runs' lists for them: {topics}",
        len(numbers),
    )
    return said(words, count=len(numbers), topics=listed(numbers))


def runs(detail: dict[str, Any], at: Places) -> Said:
    names = detail["runs"]
    if lists := detail.get("again"):
        words = ngettext(
            "loaded one list of the run {runs} again from {file}",
            "loaded {lists} lists of the run {runs} again from {file}",
            lists,
        )
        return said(words, lists=lists, runs=listed(names), file=detail["file"])
    words = ngettext("loaded the run {runs} from {file}", "loaded the runs {runs} from {file}", len(names))
    if not detail["contributes"]:
        words += _("; scored only, no document is proposed by it")
    if detail["after"]:
        words += ngettext(
            "; late, after {after} judgment", "; late, after {after} judgments", detail["after"]
        )
    return said(words, runs=listed(names), file=detail["file"], after=detail["after"])


def qrels(detail: dict[str, Any], at: Places) -> Said:
    words = _("loaded qrels from {file}: {judgments} judgments; {unchanged} more said nothing new")
    return said(words, **{name: detail[name] for name in ("file", "judgments", "unchanged")})


def run_removed(detail: dict[str, Any], at: Places) -> Said:
    return said(_("removed the run {run}; its judged documents stay judged"), run=detail["run"])


def run_withdrawn(detail: dict[str, Any], at: Places) -> Said:
    return said(_("withdrew the run {run}; it is kept and can come back"), run=detail["run"])


def run_back(detail: dict[str, Any], at: Places) -> Said:
    return said(_("brought the run {run} back"), run=detail["run"])


def run_contributes(detail: dict[str, Any], at: Places) -> Said:
    if detail["contributes"]:
        return said(_("let the run {run} propose documents"), run=detail["run"])
    return said(_("let the run {run} propose no documents any more"), run=detail["run"])


def run_group(detail: dict[str, Any], at: Places) -> Said:
    groups = {name: detail[name] or _("none") for name in ("before", "group")}
    return said(_("changed the group of the run {run}: {before} → {group}"), run=detail["run"], **groups)


def exported(detail: dict[str, Any], at: Places) -> Said:
    return said(_("downloaded {file}"), file=at.page("exports", detail["file"]))


def bundle_imported(detail: dict[str, Any], at: Places) -> Said:
    words = _("made this campaign of the bundle {file}, signed by the key {key}…")
    return said(words, file=detail["file"], key=detail["signed_by"][:12])


TELL_FILES: dict[str, Callable[[dict[str, Any], Places], Said]] = {
    "documents": documents,
    "documents removed": documents_removed,
    "source": source,
    "topics": topics,
    "topics removed": topics_removed,
    "runs": runs,
    "qrels": qrels,
    "run removed": run_removed,
    "run withdrawn": run_withdrawn,
    "run brought back": run_back,
    "run contributes": run_contributes,
    "run group": run_group,
    "exported": exported,
    "bundle imported": bundle_imported,
}


def _what(detail: dict[str, Any], at: Places) -> dict[str, object]:
    topic, docno = detail["topic"], detail["docno"]
    return {"docno": at.document(topic, docno), "topic": at.topic(topic), "grade": detail["grade"]}


def judged(detail: dict[str, Any], at: Places) -> Said:
    if detail["adjudication"]:
        return said(_("decided {docno} in topic {topic}: {grade}"), **_what(detail, at))
    return said(_("judged {docno} in topic {topic}: {grade}"), **_what(detail, at))


def revised(detail: dict[str, Any], at: Places) -> Said:
    what = _what(detail, at)
    if detail["adjudication"]:
        return said(_("decided {docno} in topic {topic} again: {grade}"), **what)
    if detail["before"] is None:
        return said(_("judged {docno} in topic {topic} again: {grade}"), **what)
    return said(
        _("judged {docno} in topic {topic} again: {before} → {grade}"), before=detail["before"], **what
    )


def undone(detail: dict[str, Any], at: Places) -> Said:
    if detail["adjudication"]:
        return said(_("took back the decision on {docno} in topic {topic}"), **_what(detail, at))
    return said(_("took back the judgment of {docno} in topic {topic}"), **_what(detail, at))


def not_judged(detail: dict[str, Any], at: Places) -> Said:
    reason = _(detail["reason"])
    return said(_("could not judge {docno} in topic {topic}: {reason}"), reason=reason, **_what(detail, at))


def shown_again(detail: dict[str, Any], at: Places) -> Said:
    """An answer to what came once more, which the assessor did not know; it changes no grade."""
    what = _what(detail, at)
    if detail["undo"]:
        return said(_("took back the answer to {docno} in topic {topic}, shown once more"), **what)
    if detail["grade"] is None:
        words = _("was shown {docno} in topic {topic} once more, and could not judge it: {reason}")
        return said(words, reason=_(detail["reason"]), **what)
    words = _("was shown {docno} in topic {topic} once more: {before}, now {grade}")
    return said(words, before=detail["before"], **what)


TELL: dict[str, Callable[[dict[str, Any], Places], Said]] = {
    "judged": judged,
    "revised": revised,
    "undone": undone,
    "not judged": not_judged,
    "shown again": shown_again,
}
