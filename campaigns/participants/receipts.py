"""Receipts: what was handed in, when, by whom, and the hash that proves it."""

from __future__ import annotations

from campaigns.core.jobs import request_delivery
from campaigns.models import Submission
from campaigns.notifications.emails import can_email, render_email
from campaigns.templatetags.contexts import CampaignContext


class ReceiptText(CampaignContext, template="campaigns/participants/receipt.txt"):
    submission: Submission


def receipt_text(submission: Submission) -> str:
    return ReceiptText(submission.team.campaign, submission).html()


def email_receipt(submission: Submission) -> None:
    """To the person who handed it in, if they have an address, once the surrounding transaction has
    committed."""
    address = submission.handed_in_by.email
    if not address or not can_email():
        return
    text = receipt_text(submission)
    mail = render_email("receipt", campaign=submission.team.campaign, submission=submission, receipt=text)
    request_delivery(subject=mail.subject, body=mail.body, address=address)
