"""Sentences about judgments, and about files and runs that came and went."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns.models.judgment import SEARCHED
from campaigns.pages.history_text.sentences import (
    CampaignLinks,
    Saying,
    Sentence,
    plain,
    sentence,
    shorten_list,
)


def documents_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    count = detail["documents"]
    words = ngettext("loaded one document from {file}", "loaded {count} documents from {file}", count)
    changed, replaced = detail.get("changed", 0), detail.get("replaced", 0)
    if changed:
        words += _("; {changed} changed")
    if replaced:
        words += ngettext(
            "; one judged text was replaced and kept",
            "; {replaced} judged texts were replaced and kept",
            replaced,
        )
    return sentence(words, count=count, file=detail["file"], changed=changed, replaced=replaced)


def documents_removed_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    count = detail["documents"]
    words = ngettext("took one document out", "took all {count} documents out", count)
    return sentence(words, count=count)


def source_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    if detail["address"]:
        return sentence(_("set where the documents can be seen: {address}"), address=detail["address"])
    return sentence(_("removed where the documents can be seen: {address}"), address=detail["before"])


def topics_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    counts = {name: detail[name] for name in ("added", "revised", "unchanged")}
    if detail["file"]:
        words = _("loaded topics from {file}: {added} new, {revised} revised, {unchanged} unchanged")
        return sentence(words, file=detail["file"], **counts)
    return sentence(_("loaded topics: {added} new, {revised} revised, {unchanged} unchanged"), **counts)


def topics_removed_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    numbers = detail["topics"]
    words = ngettext(
        "took topic {topics} out, with the runs' lists for it",
        "took {count} topics out, with the runs' lists for them: {topics}",
        len(numbers),
    )
    return sentence(words, count=len(numbers), topics=shorten_list(numbers))


def runs_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    names = detail["runs"]
    if lists := detail.get("again"):
        words = ngettext(
            "loaded one list of the run {runs} again from {file}",
            "loaded {lists} lists of the run {runs} again from {file}",
            lists,
        )
        return sentence(words, lists=lists, runs=shorten_list(names), file=detail["file"])
    words = ngettext("loaded the run {runs} from {file}", "loaded the runs {runs} from {file}", len(names))
    if not detail["contributes"]:
        words += _("; non-contributing")
    if detail["after"]:
        words += ngettext(
            "; late, after {after} judgment", "; late, after {after} judgments", detail["after"]
        )
    return sentence(words, runs=shorten_list(names), file=detail["file"], after=detail["after"])


def qrels_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    said = {name: detail[name] for name in ("file", "judgments", "unchanged")}
    if "map" not in detail:
        words = _("loaded qrels from {file}: {judgments} judgments; {unchanged} more were unchanged")
        return sentence(words, **said)
    words = _(
        "loaded qrels from {file} with grades mapped {map}: {judgments} judgments; {unchanged} more were "
        "unchanged, {left_out} left out"
    )
    return sentence(words, **said, map=detail["map"], left_out=detail["left_out"])


def run_contributes_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    if detail["contributes"]:
        return sentence(_("made the run {run} contributing"), run=detail["run"])
    return sentence(_("made the run {run} non-contributing"), run=detail["run"])


def run_group_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    groups = {name: detail[name] or _("none") for name in ("before", "group")}
    return sentence(_("changed the group of the run {run}: {before} → {group}"), run=detail["run"], **groups)


def bundle_imported_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = _("made this campaign of the bundle {file}, signed by the key {key}…")
    if dropped := detail.get("dropped"):
        words += _("; without the option {dropped}, which methods no longer have")
    names = ", ".join(dropped or [])
    return sentence(words, file=detail["file"], key=detail["signed_by"][:12], dropped=names)


FILE_SENTENCES: dict[str, Saying] = {
    "documents": documents_sentence,
    "documents removed": documents_removed_sentence,
    "source": source_sentence,
    "topics": topics_sentence,
    "topics removed": topics_removed_sentence,
    "runs": runs_sentence,
    "qrels": qrels_sentence,
    "run removed": plain(gettext_lazy("removed the run {run}; its judged documents stay judged")),
    "run withdrawn": plain(gettext_lazy("withdrew the run {run}; it is kept and can come back")),
    "run brought back": plain(gettext_lazy("brought the run {run} back")),
    "run contributes": run_contributes_sentence,
    "run group": run_group_sentence,
    "exported": plain(gettext_lazy("downloaded {file}"), file="exports"),
    "bundle imported": bundle_imported_sentence,
}


def _what(detail: dict[str, Any], at: CampaignLinks) -> dict[str, object]:
    topic, docno = detail["topic"], detail["docno"]
    return {"docno": at.document(topic, docno), "topic": at.topic(topic), "grade": detail["grade"]}


def judged_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    if detail["adjudication"]:
        return sentence(_("decided {docno} in topic {topic}: {grade}"), **_what(detail, at))
    if detail["method"] == SEARCHED:
        return sentence(_("judged {docno} in topic {topic}, found by search: {grade}"), **_what(detail, at))
    if detail.get("copied_from"):
        return _copied_sentence(detail, at)
    if detail.get("file"):
        words = _("imported the judgment of {docno} in topic {topic} from {file}: {grade}")
        return sentence(words, file=detail["file"], **_what(detail, at))
    return sentence(_("judged {docno} in topic {topic}: {grade}"), **_what(detail, at))


def _copied_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    words = _("judged {source} in topic {topic}, copied to its near-duplicate {docno}: {grade}")
    if detail["grade"] is None:
        words = _(
            "had judged {source} in topic {topic}; the copy to its near-duplicate {docno} was withdrawn"
        )
    return sentence(words, source=at.document(detail["topic"], detail["copied_from"]), **_what(detail, at))


def revised_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    what = _what(detail, at)
    if detail.get("copied_from"):
        return _copied_sentence(detail, at)
    if detail["adjudication"]:
        return sentence(_("decided {docno} in topic {topic} again: {grade}"), **what)
    if detail["before"] is None:
        return sentence(_("judged {docno} in topic {topic} again: {grade}"), **what)
    return sentence(
        _("judged {docno} in topic {topic} again: {before} → {grade}"), before=detail["before"], **what
    )


def undone_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    if detail["adjudication"]:
        return sentence(_("undid the decision on {docno} in topic {topic}"), **_what(detail, at))
    if detail.get("copied_from"):
        return _copied_sentence(detail, at)
    return sentence(_("undid the judgment of {docno} in topic {topic}"), **_what(detail, at))


def not_judged_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    reason = _(detail["reason"])
    return sentence(
        _("could not judge {docno} in topic {topic}: {reason}"), reason=reason, **_what(detail, at)
    )


def repeat_sentence(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
    """An answer to what came once more, which the assessor did not know; it changes no grade."""
    what = _what(detail, at)
    if detail["undo"]:
        return sentence(_("undid the answer to {docno} in topic {topic}, shown once more"), **what)
    if detail["grade"] is None:
        words = _("was shown {docno} in topic {topic} once more, and could not judge it: {reason}")
        return sentence(words, reason=_(detail["reason"]), **what)
    words = _("was shown {docno} in topic {topic} once more: {before}, now {grade}")
    return sentence(words, before=detail["before"], **what)


def _with_text(of: Saying) -> Saying:
    """The sentence, and whether the judgment is about a text that was replaced since."""

    def told(detail: dict[str, Any], at: CampaignLinks) -> Sentence:
        said = of(detail, at)
        return (
            Sentence(said.template + _("; on an earlier text"), said.values)
            if detail["earlier_text"]
            else said
        )

    return told


JUDGMENT_SENTENCES: dict[str, Saying] = {
    "judged": _with_text(judged_sentence),
    "revised": _with_text(revised_sentence),
    "undone": undone_sentence,
    "not judged": _with_text(not_judged_sentence),
    "shown again": repeat_sentence,
}
