from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.text import slugify
from django.utils.translation import gettext

from campaigns.models import Campaign, Collection
from campaigns.models.campaign import Method, Policy, Scope, TopicChoice
from campaigns.setup.campaigns import LARGEST_REPEAT_SHARE, MOST_ASSESSORS, RESERVED_SLUGS

# Addresses that the pages need for themselves.
WHOLE = 2**31 - 1


class SettingsForm(forms.Form):
    """What can be set step by step, and changed later. `seen`: the settings as they were when the form was
    filled in, as it posts them back."""

    seen = ""

    name = forms.CharField(max_length=200)
    guidelines = forms.CharField(required=False, max_length=100_000)
    p = forms.FloatField(min_value=0.01, max_value=0.99)
    method = forms.ChoiceField(choices=Method.choices)
    scope = forms.ChoiceField(choices=Scope.choices)
    batch = forms.IntegerField(min_value=1, max_value=1_000_000)
    relevant_from = forms.IntegerField(required=False, min_value=0, max_value=99)
    min_judgments = forms.IntegerField(min_value=0, max_value=1_000_000)
    budget = forms.IntegerField(required=False, min_value=1, max_value=WHOLE)
    topic_choice = forms.ChoiceField(required=False, choices=TopicChoice.choices)
    training_required = forms.BooleanField(required=False)
    development_required = forms.BooleanField(required=False)
    overlap_share = forms.FloatField(min_value=0, max_value=1, required=False)
    overlap_assessors = forms.IntegerField(min_value=2, max_value=MOST_ASSESSORS, required=False)
    repeat_share = forms.FloatField(min_value=0, max_value=LARGEST_REPEAT_SHARE, required=False)
    policy = forms.ChoiceField(required=False, choices=Policy.choices)
    seed = forms.IntegerField(required=False, min_value=0, max_value=WHOLE)


class NewForm(forms.Form):
    """What a draft begins with; neither its address nor its collection changes afterwards."""

    name = forms.CharField(max_length=200)
    slug = forms.SlugField(required=False, max_length=80)
    collection = forms.ModelChoiceField(Collection.objects.none(), required=False)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["collection"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = collections_for(user)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        slug = values.get("slug") or slugify(values.get("name", ""))[:80]
        if slug in RESERVED_SLUGS:
            wrong = gettext("“%(slug)s” is an address of the pages; please choose another")
            self.add_error("slug", wrong % {"slug": slug})
        return {**values, "slug": slug}


def collections_for(user: User) -> Any:
    """Collections that the user brought or organises a campaign on."""
    organised = Campaign.objects.organised_by(user)
    return Collection.objects.filter(Q(owner=user) | Q(campaigns__in=organised)).distinct().order_by("name")
