"""Permission to read documents, and their addresses at the source.

Organisers may read all documents of a campaign, assessors those that were put before them.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from campaigns.collection.assignments import offered_topics
from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.log.current import made_by_assessors
from campaigns.models import (
    Campaign,
    Claim,
    Collection,
    Document,
    GuidelineExample,
    Judgment,
    Membership,
    Postponement,
    TrainingItem,
)
from campaigns.models.collection import LANGUAGES

PLACE = "{docno}"
LONGEST_TEMPLATE = 500
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f<>\"\\^`|]")


def source_url(template: str, docno: str) -> str:
    """The address of one document; empty where the collection has none."""
    return template.replace(PLACE, quote(docno, safe="")) if template else ""


def set_url_template(*, collection: Collection, template: str) -> None:
    """Set or, with an empty one, remove the address. Campaigns that share the collection share it."""
    template = template.strip()
    check_url_template(template)
    before = collection.url_template
    if template == before:
        return
    with transaction.atomic():
        collection.url_template = template
        collection.save(update_fields=["url_template"])
        audit.note_sharing(collection=collection, kind="source", before=before, address=template)


def set_language(*, collection: Collection, language: str) -> None:
    """Set the language of the documents. Campaigns that share the collection share it."""
    check_language(language)
    before = collection.language
    if language == before:
        return
    with transaction.atomic():
        collection.language = language
        collection.save(update_fields=["language"])
        audit.note_sharing(collection=collection, kind="settings", changes={"language": [before, language]})


def check_language(language: str) -> None:
    if language not in LANGUAGES:
        words = gettext("“%(language)s” is not one of: %(languages)s")
        detail = words % {"language": language[:100], "languages": ", ".join(LANGUAGES)}
        raise Refusal("bad_language", detail, field="language")


def check_url_template(template: str) -> None:
    if (template := template.strip()) and (reason := _what_is_wrong(template)):
        raise Refusal(
            "bad_url_template",
            f"{reason}: {template[:100]}",
            field="url_template",
        )


def _what_is_wrong(template: str) -> str:
    if len(template) > LONGEST_TEMPLATE:
        return gettext("an address longer than %(longest)s characters") % {"longest": LONGEST_TEMPLATE}
    if _UNFIT.search(template):
        return gettext("an address contains no blanks, quotes or angle brackets")
    if PLACE not in template or "{" in template.replace(PLACE, "") or "}" in template.replace(PLACE, ""):
        message = gettext("an address contains %(place)s where the docno belongs, and no other braces")
        return message % {"place": PLACE}
    try:
        parts = urlsplit(template)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        return gettext("an address begins with http:// or https:// and the name of a host")
    if PLACE in parts.netloc or "@" in parts.netloc:
        message = gettext("%(place)s stands behind the name of the host, which has no user name")
        return message % {"place": PLACE}
    return ""


def document_for(*, membership: Membership, docno: str) -> Document | None:
    """The document if this member may read it: others learn nothing of it."""
    campaign = membership.campaign
    document = (
        Document.objects.select_related("collection")
        .filter(collection_id=campaign.collection_id, docno=docno)
        .first()
    )
    if document is None or membership.is_organiser or _met(campaign, membership.user_id, document.id):
        return document
    return None


def _met(campaign: Campaign, assessor: int, document: int) -> bool:
    here = Q(document_id=document)
    own = here & Q(topic__campaign=campaign, assessor_id=assessor)
    return (
        Claim.objects.filter(own).exists()
        or made_by_assessors(Judgment.objects.filter(own)).exists()
        or Postponement.objects.filter(own).exists()
        or TrainingItem.objects.filter(here, campaign=campaign).exists()
        or _is_example(campaign, assessor, document)
    )


def _is_example(campaign: Campaign, assessor: int, document: int) -> bool:
    offered = offered_topics(campaign=campaign, assessor=assessor)
    rows = GuidelineExample.objects.filter(campaign=campaign, document_id=document)
    return rows.filter(Q(topic=None) | Q(topic__in=offered)).exists()
