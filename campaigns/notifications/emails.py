"""Emails: made from a template in the reader's language, queued for the worker, some only once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_delivery
from campaigns.log import audit
from campaigns.models import Campaign, Membership, PreferredLanguage, SentMail
from campaigns.templatetags.contexts import PageContext

LONGEST_EMAIL = 254
LANGUAGE_CODES = frozenset(code for code, _ in settings.LANGUAGES)


@dataclass(frozen=True)
class Email:
    subject: str
    body: str

    def send(self, address: str) -> None:
        send_mail(self.subject, self.body, None, [address])


class EmailText(PageContext):
    """Text of an email. The template's first line is the subject."""

    @property
    def site(self) -> str:
        return str(settings.SITE_URL)

    def email(self, language: str | None = None) -> Email:
        """`language`: by default that of the user who acts."""
        with translation.override(language or translation.get_language()):
            subject, _, body = self.html().strip().partition("\n")
        return Email(" ".join(subject.split()), body.strip() + "\n")


class CampaignEmail(EmailText):
    campaign: Campaign


def email_recipients(*, kind: str) -> list[tuple[Membership, str]]:
    """Organisers who asked for emails of this kind and have an address, and their languages."""
    rows = Membership.objects.filter(**{f"{kind}_mail": True}, role=Membership.Role.ORGANISER)
    rows = rows.filter(user__is_active=True).exclude(user__email="")
    members = list(rows.select_related("user", "campaign").order_by("id"))
    languages = languages_of(membership.user_id for membership in members)
    return [(one, languages.get(one.user_id, settings.LANGUAGE_CODE)) for one in members]


def email_once(*, membership: Membership, kind: str, key: str, mail: Email) -> bool:
    """Queue an email unless it was before; False if so. Its row and its mark are stored together, so none is
    lost or doubled. Without a mail server it is written to the log at once."""
    with transaction.atomic():
        _, first = SentMail.objects.get_or_create(membership=membership, kind=kind, key=key)
        if first and can_email():
            request_delivery(subject=mail.subject, body=mail.body, address=membership.user.email)
    if first and not can_email():
        mail.send(membership.user.email)
    return first


def choose(*, membership: Membership, progress: bool, trouble: bool, quality: bool) -> None:
    """A campaign's emails to an organiser, at the address of their account."""
    if (progress or trouble) and not membership.user.email:
        raise Refusal("bad_address", gettext("emails need an address: add one to your account"))
    choice = {"progress": progress, "trouble": trouble, "quality": quality}
    before = {name: getattr(membership, f"{name}_mail") for name in choice}
    with transaction.atomic():
        for name, wants in choice.items():
            setattr(membership, f"{name}_mail", wants)
        membership.save(update_fields=[f"{name}_mail" for name in choice])
        if before != choice:
            audit.note(campaign=membership.campaign, kind="mails", **choice)


def can_email() -> bool:
    """True if emails with secrets are sent. Without a mail server they would be written to the log, which is
    for development only."""
    return settings.DEBUG or "console" not in settings.EMAIL_BACKEND


def check_email_address(address: str) -> None:
    if len(address) > LONGEST_EMAIL:
        detail = gettext("an address has at most %(most)s characters") % {"most": LONGEST_EMAIL}
        raise Refusal("bad_address", detail, field="address")
    try:
        validate_email(address)
    except ValidationError:
        detail = gettext("“%(address)s” is not an email address") % {"address": address[:100]}
        raise Refusal("bad_address", detail, field="address") from None


def prefer(*, user: User, code: str) -> None:
    """Keep what the person chose; a language that there is not changes nothing."""
    if code in LANGUAGE_CODES:
        PreferredLanguage.objects.update_or_create(user=user, defaults={"code": code})


def languages_of(users: Iterable[int]) -> dict[int, str]:
    """Languages by user id; users who have not chosen one yet are missing."""
    rows = PreferredLanguage.objects.filter(user__in=list(users), code__in=LANGUAGE_CODES)
    return dict(rows.values_list("user", "code"))
