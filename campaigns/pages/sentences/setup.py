"""Steps of the set-up in words."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.phrases import group_digits
from campaigns.models import Campaign, Loading
from campaigns.models.campaign import Status
from campaigns.pages.sentences.message import message


def opening_sentence(status: str) -> SafeString:
    """Introduce the opening of a campaign that lacks nothing and is not open."""
    match status:
        case Status.DRAFT:
            return message(_("Everything is there."))
        case Status.PAUSED:
            return message(_("The campaign is <strong>paused</strong>: no one can judge."))
        case _closed:
            text = _(
                "The campaign is <strong>closed</strong>; the judgments can be exported, and it can be "
                "opened again."
            )
            return message(text)


def collection_sentence(campaign: Campaign, documents: int, shared_with: int) -> SafeString:
    """`shared_with`: so many other campaigns use the same documents."""
    values = {"said": group_digits(documents), "name": campaign.collection.name}
    if campaign.collection.complete:
        text = ngettext(
            "<strong>%(said)s</strong> document in “%(name)s”",
            "<strong>%(said)s</strong> documents in “%(name)s”",
            documents,
        )
    elif documents:
        text = ngettext(
            "<strong>%(said)s</strong> document known by docno, without text",
            "<strong>%(said)s</strong> documents known by docno, without text",
            documents,
        )
    else:
        text = '<span class="soft">%(none)s</span>'
        values["none"] = _("None yet.")
    sentence = message(text, **values)
    if not shared_with:
        return sentence
    others = ngettext("%(n)s other campaign shares them", "%(n)s other campaigns share them", shared_with)
    return format_html("{}; {}", sentence, others % {"n": shared_with})


def loading_sentence(loading: Loading) -> str:
    """State the progress of an unfinished loading of a dataset."""
    if loading.state == Loading.State.WAITING:
        return _("Waiting for the worker.")
    values = {"read": group_digits(loading.documents), "total": group_digits(loading.total or 0)}
    if loading.total:
        return _("%(read)s of %(total)s documents. You may leave the page.") % values
    text = ngettext(
        "%(read)s document so far. You may leave the page.",
        "%(read)s documents so far. You may leave the page.",
        loading.documents,
    )
    return text % values


def loaded_sentence(loading: Loading) -> str:
    """List what a dataset brought."""
    documents, topics, judgments = (
        loading.taken.get(kind, 0) for kind in ("documents", "topics", "judgments")
    )
    parts = [
        ngettext("%(said)s document", "%(said)s documents", documents) % {"said": group_digits(documents)}
    ]
    if topics:
        text = ngettext("%(said)s new topic", "%(said)s new topics", topics)
        parts.append(text % {"said": group_digits(topics)})
    if loading.qrels:
        text = ngettext("%(said)s new judgment", "%(said)s new judgments", judgments)
        parts.append(text % {"said": group_digits(judgments)})
    loaded = _("%(name)s is loaded.") % {"name": loading.name}
    return f"{loaded} {', '.join(parts)}"
