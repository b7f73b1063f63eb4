"""Links by which a forgotten password is replaced: mailed on request, or made by an organiser for a member.

Their secret is Django's: an HMAC over the account's password hash, its last sign-in and the time. So nothing
of it is stored, and it ends by being used and after `PASSWORD_RESET_TIMEOUT`. It stands behind the # of the
address, which browsers send to no server: no log of the site or of a proxy can hold it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.utils.translation import gettext

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_reset_links
from campaigns.log import audit
from campaigns.models import Campaign, Membership, ResetRequest
from campaigns.notifications.emails import EmailText, can_email
from campaigns.people.accounts import is_administrator

logger = logging.getLogger(__name__)

RESET_HOURS = settings.PASSWORD_RESET_TIMEOUT // 3600
# A mail server that is away for longer loses the request: the person asks again.
REQUEST_HOURS = 2
MOST_AT_ONCE = 100


def request_reset(*, address: str, language: str) -> None:
    """Have the worker mail a link to the accounts with this address, if there are any. All addresses take the
    same path, so that neither the answer nor its time says which have accounts."""
    with transaction.atomic():
        ResetRequest.objects.create(address=address, language=language)
        request_reset_links()


def send_reset_links() -> int:
    """Mail what was requested. Return how many emails went out. What a mail server refuses is tried again."""
    if not can_email():
        # The web server has a mail server and this worker has none: its log must not hold the links.
        if ResetRequest.objects.exists():
            logger.warning("reset links are not sent: this worker has no mail server (EMAIL_URL)")
        return 0
    ResetRequest.objects.filter(created__lt=timezone.now() - timedelta(hours=REQUEST_HOURS)).delete()
    sent = 0
    for id in ResetRequest.objects.order_by("id").values_list("id", flat=True)[:MOST_AT_ONCE]:
        try:
            with transaction.atomic():
                sent += _answer(id)
        except (SMTPException, OSError) as error:
            logger.warning("an email with a reset link is not sent: %s", error)
            break
    return sent


class ResetEmail(EmailText, template="mail/reset.txt"):
    link: str
    user: User
    hours: int = RESET_HOURS


def _answer(id: int) -> int:
    request = ResetRequest.objects.select_for_update(skip_locked=True).filter(id=id).first()
    if request is None:
        return 0
    request.delete()
    users = list(PasswordResetForm().get_users(request.address))
    for user in users:
        link = f"{settings.SITE_URL}{reverse('reset-open')}#{secret_of(user)}"
        mail = ResetEmail(link, user).email(request.language)
        try:
            mail.send(user.email)
        except SMTPRecipientsRefused as error:
            # It would be refused the next time as well, and others wait behind it.
            logger.warning("an email with a reset link is not sent: %s", error)
    return len(users)


def make_reset_link(*, maker: User, user: User, link_of: Callable[[str], str]) -> str:
    """A link for one use, to be passed on by hand. It is returned once; only its making goes into the history
    of the campaigns that both belong to."""
    if not may_reset(maker, user):
        detail = gettext(
            "“%(name)s” has roles or rights beyond the campaigns that you organise: ask an administrator"
        )
        raise Refusal("not_allowed", detail % {"name": user.get_username()}, status=403)
    if not user.is_active:
        detail = gettext("the account “%(name)s” is deactivated") % {"name": user.get_username()}
        raise Refusal("deactivated", detail, status=409)
    shared = Campaign.objects.filter(memberships__user=user).filter(memberships__user=maker).distinct()
    audit.note_all(campaigns=shared, kind="reset link", person=user.get_username())
    return link_of(secret_of(user))


def may_reset(maker: User, user: User) -> bool:
    """The holder of the link can act as the account. So it must not reach further than its maker: organisers
    make links for members whose every campaign they organise, administrators for everybody."""
    if is_administrator(maker):
        return True
    if user.is_superuser:
        return False
    theirs = set(Membership.objects.filter(user=user).values_list("campaign", flat=True))
    organised = Membership.objects.filter(user=maker, role=Membership.Role.ORGANISER)
    return bool(theirs) and theirs <= set(organised.values_list("campaign", flat=True))


def secret_of(user: User) -> str:
    return f"{urlsafe_base64_encode(force_bytes(user.pk))}-{default_token_generator.make_token(user)}"


def open_secret(secret: str) -> tuple[User, str] | None:
    """The account and Django's token, while the link is valid. The answer does not say why one is not."""
    uid, _, token = secret.strip().partition("-")
    try:
        id = digits_or_zero(urlsafe_base64_decode(uid).decode())
    except ValueError:
        return None
    user = User.objects.filter(id=id, is_active=True).first()
    return (user, token) if default_token_generator.check_token(user, token) and user else None
