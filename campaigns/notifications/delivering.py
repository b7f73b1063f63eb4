from __future__ import annotations

from smtplib import SMTPException

from celery import shared_task
from django.core.mail import send_mail


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
