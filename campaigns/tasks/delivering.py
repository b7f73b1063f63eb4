from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import TYPE_CHECKING

from celery import shared_task
from django.core.mail import send_mail
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

if TYPE_CHECKING:
    from campaigns.services.mails import Mail

logger = logging.getLogger(__name__)


def request_delivery(mail: Mail, address: str) -> None:
    """Have the worker send it once the surrounding transaction has committed."""
    transaction.on_commit(lambda: _request(mail, address))


def _request(mail: Mail, address: str) -> None:
    try:
        deliver.apply_async((mail.subject, mail.body, address), retry=False)
    except (OperationalError, RedisError, OSError) as error:
        logger.warning("mail “%s” to %s not sent, the broker is silent: %s", mail.subject, address, error)


# A mail server may be away for a while: about two hours of further tries.
@shared_task(
    name="campaigns.deliver",
    autoretry_for=(SMTPException, OSError),
    retry_backoff=60,
    retry_backoff_max=3600,
    max_retries=6,
)
def deliver(subject: str, body: str, address: str) -> None:
    send_mail(subject, body, None, [address])
