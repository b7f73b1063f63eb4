"""Settings as forms: all of them on one page, or those of one step of the set-up."""

from __future__ import annotations

import json
from typing import Any

from django.forms import Form
from django.http import QueryDict
from django.utils.translation import gettext, gettext_noop

from campaigns.core.errors import Refused
from campaigns.log.timeline import last_changed_by
from campaigns.models import Campaign
from campaigns.models.campaign import Status
from campaigns.pages.history_text import changes
from campaigns.pages.setup.effects import effects_of
from campaigns.pages.setup.forms import SettingsForm
from campaigns.pages.setup.grades import Grades, preset_of, read_grades
from campaigns.pages.setup.methods import Offered, offered
from campaigns.pages.setup.options import OptionField, field_name, fields_of, read_options, run_tags
from campaigns.pages.setup.policies import POLICIES
from campaigns.setup import campaigns as services
from campaigns.setup.concurrent_edits import ChangedMeanwhile, as_seen, read_seen

# Step → its fields of the form. The scale and the method's options are read from what was posted.
PARTS: dict[str, tuple[str, ...]] = {
    "measure": ("p", "method", "scope", "batch", "seed"),
    "grades": ("relevant_from",),
    "judging": (
        "min_judgments",
        "budget",
        "guidelines",
        "topic_choice",
        "training_required",
        "development_required",
        "overlap_share",
        "overlap_assessors",
        "repeat_share",
        "policy",
    ),
}
# Left empty, these stay as they are.
KEPT_IF_EMPTY = ("seed", "topic_choice", "overlap_share", "overlap_assessors", "repeat_share", "policy")
SCOPES = [
    (
        "campaign",
        gettext_noop("whole campaign"),
        gettext_noop("Topics compete: each judgment goes where it tells most about the runs' means."),
    ),
    (
        "topic",
        gettext_noop("each topic by itself"),
        gettext_noop("Every topic is worked through as if it were the only one."),
    ),
]
CHOICES = [
    (
        "free",
        gettext_noop("as they like"),
        gettext_noop("Topics assigned to them, one of ten drawn at random, or the next in your order."),
    ),
    (
        "assigned",
        gettext_noop("only what you assign"),
        gettext_noop("Nobody judges a topic that was not given to them."),
    ),
]


def form_of(campaign: Campaign, posted: QueryDict | None = None, part: str = "") -> SettingsForm:
    """The fields of the part, all of them if none is named, with what is stored or was posted."""
    initial = {name: getattr(campaign, name) for name in SettingsForm.base_fields}
    form = SettingsForm(posted, initial=initial)
    form.seen = as_seen(campaign, services.SETTINGS) if posted is None else posted.get("seen", "")
    if campaign.status != Status.DRAFT:
        del form.fields["seed"]
    for name in set(form.fields) - set(PARTS.get(part, form.fields)):
        del form.fields[name]
    return form


def save(campaign: Campaign, form: SettingsForm, posted: QueryDict, part: str = "") -> str | None:
    """Store what was filled in. None if it is stored; else the form says what is wrong, and what is
    returned names the option of the method that is, if it is one."""
    if not form.is_valid():
        return ""
    try:
        seen = read_seen(form.seen) if form.seen else None
        services.change_settings(campaign=campaign, seen=seen, **_values(form, posted, part))
    except ChangedMeanwhile as lost:
        _tell_lost(campaign, form, lost.names)
        return ""
    except Refused as refused:
        form.add_error(refused.field if refused.field in form.fields else None, refused.detail)
        return field_name(form.cleaned_data.get("method", ""), refused)
    return None


def _tell_lost(campaign: Campaign, form: SettingsForm, names: list[str]) -> None:
    """Who has changed what meanwhile. From now on that has been seen: saving again replaces it."""
    for name in names:
        who = last_changed_by(campaign=campaign, setting=name) or gettext("somebody else")
        words = gettext(
            "%(name)s has changed “%(setting)s” meanwhile, to: %(value)s. Nothing is saved yet; "
            "save again to have it as you filled it in"
        )
        told = {
            "name": who,
            "setting": changes.NAMES[name],
            "value": changes.value_of(name, getattr(campaign, name)),
        }
        form.add_error(name if name in form.fields else None, words % told)
    form.seen = json.dumps({**read_seen(form.seen), **json.loads(as_seen(campaign, tuple(names)))})


def _values(form: Form, posted: QueryDict, part: str) -> dict[str, Any]:
    """What was filled in, with the scale and the options, whose fields are not the form's own."""
    values = dict(form.cleaned_data)
    if "guidelines" in values:
        # Browsers send other line ends than were stored: a text nobody touched stays the same text.
        values["guidelines"] = values["guidelines"].replace("\r\n", "\n")
    for name in KEPT_IF_EMPTY:
        if values.get(name, 0) in (None, ""):
            del values[name]
    if part in ("", "grades"):
        values["grades"] = read_grades(posted)
    if part in ("", "measure"):
        values["options"] = read_options(posted, values["method"])
    return values


def shown(campaign: Campaign, posted: QueryDict | None = None, wrong_option: str = "") -> dict[str, Any]:
    """What the fields show beside the form itself: the scale, the methods with their options, the choices."""
    return {
        "scale": (posted and posted.get("scale")) or preset_of(campaign.grades),
        "grades": _typed(posted) or campaign.grades,
        "methods": _methods(campaign, posted),
        "recommended": [one.name for one in offered()[0][1]],
        "wrong_option": wrong_option,
        "scopes": _said(SCOPES),
        "choices": _said(CHOICES),
        "policies": POLICIES,
        **effects_of(campaign),
    }


def _said(offers: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [(value, gettext(label), gettext(words)) for value, label, words in offers]


def _methods(
    campaign: Campaign, posted: QueryDict | None
) -> list[tuple[str, list[tuple[Offered, list[OptionField]]]]]:
    """Each group's methods, each with the fields of its options."""
    runs = run_tags(campaign)

    def fields(method: str) -> list[OptionField]:
        stored = campaign.options if method == campaign.method else {}
        return fields_of(method, stored, posted, runs)

    return [(title, [(one, fields(one.name)) for one in methods]) for title, methods in offered()]


def _typed(posted: QueryDict | None) -> Grades:
    """The rows as they were typed, right or wrong, so that nothing has to be typed twice."""
    if posted is None:
        return []
    names = ("grade", "label", "gain", "key")
    columns = (posted.getlist(name) for name in names)
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=False)]
