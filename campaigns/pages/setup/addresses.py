"""Addresses of places in the set-up: the library `setup` of templates (config/settings.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.urls import reverse

from campaigns.models import Campaign

register = template.Library()


def setup_address(campaign: Campaign, step: str, place: str) -> str:
    """Address of a place in a step: a setting's field, or the messages of a form."""
    return f"{reverse('campaigns:setup', args=[campaign.slug])}?step={step}#{place}"


@register.simple_tag(takes_context=True)
def step_address(context: Mapping[str, Any], step: str) -> str:
    """`{% step_address "judging" %}#policy` leads to a setting, whose field the page then focuses."""
    return f"{reverse('campaigns:setup', args=[context['campaign'].slug])}?step={step}"
