"""A new campaign with the settings of another one, by its organiser."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from campaigns.models import Campaign
from campaigns.pages.access import also_archived, organiser_page, signed_in_user
from campaigns.pages.acts import submit
from campaigns.pages.setup.forms import NewForm
from campaigns.setup.copies import copy_settings
from campaigns.templatetags.contexts import CampaignContext, render_page


class CopyForm(NewForm):
    people = forms.BooleanField(required=False)
    topics = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A copy has the documents of the first one.
        del self.fields["collection"]


class CopyPage(CampaignContext, template="campaigns/settings/copy.html"):
    form: CopyForm
    examples: int
    topic_examples: int


@require_http_methods(["GET", "HEAD", "POST"])
@organiser_page
@also_archived
def copy(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    user = signed_in_user(request)
    name = gettext("Copy of %(name)s") % {"name": campaign.name}
    form = CopyForm(user, request.POST or None, auto_id="%s", initial={"name": name[:200]})
    if copied := submit(form, partial(copy_settings, campaign=campaign, organiser=user)):
        if left := campaign.guideline_examples.count() - copied.guideline_examples.count():
            words = ngettext(
                "%(count)s example was left out: its topic was not copied.",
                "%(count)s examples were left out: their topics were not copied.",
                left,
            )
            messages.info(request, words % {"count": left})
        return redirect("campaigns:setup", slug=copied.slug)
    status = 400 if form.errors else 200
    of_topics = campaign.guideline_examples.exclude(topic=None).count()
    examples = campaign.guideline_examples.count() - of_topics
    return render_page(request, CopyPage(campaign, form, examples, of_topics), status=status)
