"""Links into the handbook from other pages: the library `help` of templates (config/settings.py)."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from campaigns.pages.help.handbook import find_page
from campaigns.pages.help.views import guide_address

register = template.Library()


@register.simple_tag
def help(place: str) -> SafeString:
    """A link to a section, which scripts show in a popover: `{% help "concepts#residual" %}`. Inside a label
    it lies over the label's words (static/campaigns/organiser.css); elsewhere it is a "?"."""
    name, _, anchor = place.partition("#")
    page = find_page(name)
    if page is None:
        raise ValueError(f"docs/ has no page {name}")
    section = page.section(anchor) if anchor else page.sections[0]
    label = gettext("Help: %(subject)s") % {"subject": section.title}
    address = reverse("help:page", args=[name]) + (f"#{anchor}" if anchor else "")
    words = '<a class="help-mark" href="{}" aria-label="{}" title="{}">?</a>'
    return format_html(words, address, label, label)


@register.simple_tag
def offline_guide() -> str:
    return guide_address()
