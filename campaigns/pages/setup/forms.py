"""Settings as forms, one for each step that holds some, and the name.

The scale is posted as a preset, or as rows of grade, label, gain, key, definition and note.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import islice, zip_longest
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Q
from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.text import capfirst, slugify
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.collection.metadata import MOST_SHOWN, offered_fields
from campaigns.core.errors import Refusal
from campaigns.log.judgments import length_of
from campaigns.log.timeline import last_changed_by
from campaigns.models import Anchor, Campaign, Collection
from campaigns.models.campaign import (
    Status,
    three_grades,
)
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import submit
from campaigns.pages.history_text.campaign import label_of_setting, value_of
from campaigns.pages.setup.methods import (
    OfferedMethod,
    OptionField,
    field_name,
    fields_of,
    offered_methods,
    read_options,
    run_tags,
)
from campaigns.setup import campaigns as services
from campaigns.setup import setting as kinds
from campaigns.setup.campaigns import RESERVED_SLUGS
from campaigns.setup.concurrent_edits import ConcurrentEdit, as_seen, dump_seen, read_seen
from campaigns.setup.setting import Setting
from campaigns.setup.settings import BY_NAME, CAMPAIGN_SETTINGS, SETTINGS, settings_in
from campaigns.templatetags.contexts import PageContext, render_page

WHOLE = 2**31 - 1
# As browsers' fields for a date and a time have it.
MINUTE = "%Y-%m-%dT%H:%M"

GradeRows = list[dict[str, Any]]
MethodChoices = list[tuple[str, list[tuple[OfferedMethod, list[OptionField]]]]]

CUSTOM = "custom"

# Step, or "name" → its parts of the table. The scale and the method's options are read from what was posted.
FORM_PARTS: dict[str, tuple[str, ...]] = {
    "name": ("name",),
    "measure": ("measure", "method", "scope", "advanced"),
    "grades": ("grades",),
    "judging": ("amount", "guidelines", "assessing", "fields", "overlap", "agreement"),
}


class ChosenFields(forms.MultipleChoiceField):
    """One choice after the other, in order; those left empty are passed over."""

    def to_python(self, value: Any) -> list[str]:
        return list(dict.fromkeys(name for name in super().to_python(value) if name))

    def valid_value(self, value: str) -> bool:
        # The setting's own check names the field that there is not.
        return True


def form_field(setting: Setting) -> forms.Field:
    """Return the field of a form that holds a setting, with its words."""
    field, hint = _plain_field(setting), str(setting.hint)
    if isinstance(setting.kind, kinds.Moment):
        hint %= {"zone": timezone.get_current_timezone_name()}
    field.label, field.help_text = capfirst(str(setting.title or setting.label)), hint
    return field


def _plain_field(setting: Setting) -> forms.Field:
    required = setting.required
    match setting.kind:
        case kinds.Flag():
            return forms.BooleanField(required=False)
        case kinds.Whole(least, most):
            return forms.IntegerField(required=required, min_value=least, max_value=most)
        case kinds.Number(least, most, typed):
            low, high = typed or (least, most)
            return forms.FloatField(required=required, min_value=low, max_value=high)
        case kinds.Choice(choices):
            coerce = int if isinstance(choices[0][0], int) else str
            return forms.TypedChoiceField(required=required, choices=choices, coerce=coerce)
        case kinds.Text(longest, multiline):
            widget = forms.Textarea({"rows": 5}) if multiline else forms.TextInput()
            return forms.CharField(required=required, max_length=longest, widget=widget)
        case kinds.Moment():
            widget = forms.DateTimeInput({"type": "datetime-local"}, format=MINUTE)
            return forms.DateTimeField(required=False, input_formats=[MINUTE], widget=widget)
        case kinds.FieldNames():
            return ChosenFields(required=False)
    raise TypeError(f"{setting.name}: no field of its own")


@dataclass(frozen=True)
class SettingRow:
    """A setting, and its field of a form as a template shows it."""

    setting: Setting
    field: forms.BoundField


class SettingsForm(forms.Form):
    """Settings of one step, which can be changed later. `seen`: the settings as they were when the form was
    filled in, as it posts them back."""

    seen = ""

    def __init__(self, *parts: str, **options: Any) -> None:
        super().__init__(**options)
        self._settings = settings_in(*parts)
        self.fields = {one.name: form_field(one) for one in self._settings}

    def rows(self) -> dict[str, list[SettingRow]]:
        """Return the rows of each part."""
        rows: dict[str, list[SettingRow]] = defaultdict(list)
        for one in self._settings:
            if one.name in self.fields:
                rows[one.form].append(SettingRow(one, self[one.name]))
        return dict(rows)


class NewForm(forms.Form):
    """Form of a new draft; neither its address nor its collection changes afterwards."""

    name = forms.CharField(max_length=200)
    slug = forms.SlugField(required=False, max_length=80)
    collection = forms.ModelChoiceField(
        Collection.objects.none(),
        required=False,
        empty_label=gettext_lazy("a new collection for this campaign"),
    )

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


def two_grades() -> GradeRows:
    return [
        {"grade": 0, "label": "not relevant", "gain": 0.0, "key": "0"},
        {"grade": 1, "label": "relevant", "gain": 1.0, "key": "1"},
    ]


PRESETS = {"two": two_grades, "three": three_grades}


def preset_of(grades: GradeRows) -> str:
    return next((name for name, make in PRESETS.items() if make() == grades), CUSTOM)


def read_grades(posted: QueryDict) -> GradeRows:
    preset = posted.get("scale", "three")
    if preset in PRESETS:
        return PRESETS[preset]()
    typed = [row for row in _typed(posted) if any(cell.strip() for cell in row.values())]
    rows = [_row(**{name: row[name] for name in GRADE_FIELDS}) for row in typed]
    return sorted(rows, key=lambda row: row["grade"])


def _decimal(text: str) -> float:
    """Half of the world writes a comma."""
    return float(text.replace(",", ".", 1))


# One field of the form each; a choice of yes or nothing says whether a note is asked for.
GRADE_FIELDS = ("grade", "label", "gain", "key", "definition", "note")


def _row(grade: str, label: str, gain: str, key: str, definition: str, note: str) -> dict[str, Any]:
    said = {"definition": definition.strip().replace("\r\n", "\n"), "note": note == "yes"}
    more = {name: value for name, value in said.items() if value}
    try:
        return {
            "grade": int(grade),
            "label": label.strip(),
            "gain": _decimal(gain),
            "key": key.strip(),
            **more,
        }
    except ValueError:
        detail = gettext(
            "a grade is a whole number and its gain a number, not “%(grade)s” and “%(gain)s”"
        ) % {"grade": grade, "gain": gain}
        raise Refusal("bad_grades", detail, field="grades") from None


def form_of(campaign: Campaign, part: str, posted: QueryDict | None = None) -> SettingsForm:
    """The fields of the part, with what is stored or was posted."""
    initial = {name: getattr(campaign, name) for name in CAMPAIGN_SETTINGS}
    form = SettingsForm(*FORM_PARTS[part], data=posted, initial=initial, auto_id="%s")
    form.seen = as_seen(campaign, CAMPAIGN_SETTINGS) if posted is None else posted.get("seen", "")
    if campaign.status != Status.DRAFT:
        form.fields.pop("seed", None)
    if campaign.anchors and Anchor.objects.filter(topic__campaign=campaign).exists():
        form.fields.pop("anchors", None)
    return form


def save_form(campaign: Campaign, form: SettingsForm, posted: QueryDict, part: str) -> str | None:
    """Store what was filled in. None if it is stored; else the form says what is wrong, its first wrong field
    is focused, and what is returned names the option of the method that is wrong, if it is one."""
    option = _save(campaign, form, posted, part)
    wrong = [name for name in form.fields if name in form.errors]
    if wrong:
        first = min(wrong, key=lambda name: FORM_PARTS[part].index(BY_NAME[name].form))
        form.fields[first].widget.attrs["autofocus"] = True
    return option


def _save(campaign: Campaign, form: SettingsForm, posted: QueryDict, part: str) -> str | None:
    if not form.is_valid():
        return ""
    try:
        seen = read_seen(form.seen) if form.seen else None
        services.change_settings(campaign=campaign, seen=seen, **_values(form, posted, part))
    except ConcurrentEdit as lost:
        _tell_lost(campaign, form, lost.names)
        return ""
    except Refusal as refused:
        form.add_error(refused.field if refused.field in form.fields else None, refused.detail)
        return field_name(form.cleaned_data.get("method", ""), refused)
    return None


def _tell_lost(campaign: Campaign, form: SettingsForm, names: list[str]) -> None:
    """Add errors that name the changes of others, and their authors. From now on these have been seen: saving
    again replaces them."""
    for name in names:
        who = last_changed_by(campaign=campaign, setting=name) or gettext("another person")
        words = gettext(
            "%(name)s has since changed “%(setting)s” to: %(value)s. Nothing is saved yet; "
            "save again to replace it with your value"
        )
        values = {
            "name": who,
            "setting": label_of_setting(name),
            "value": value_of(name, getattr(campaign, name)),
        }
        form.add_error(name if name in form.fields else None, words % values)
    form.seen = dump_seen({**read_seen(form.seen), **read_seen(as_seen(campaign, tuple(names)))})


def _values(form: Form, posted: QueryDict, part: str) -> dict[str, Any]:
    """Values of the form, with the scale and the options, whose fields are not the form's own."""
    values = dict(form.cleaned_data)
    if "guidelines" in values:
        # Browsers send other line ends than were stored: an untouched text stays the same text.
        values["guidelines"] = values["guidelines"].replace("\r\n", "\n")
    for name, value in list(values.items()):
        if value in (None, "") and not BY_NAME[name].nullable:
            del values[name]
    if part == "grades":
        values["grades"] = read_grades(posted)
    if part == "measure":
        values["options"] = read_options(posted, values["method"])
    return values


class ChoicesPart(PageContext):
    """Choices beside the form's own fields: the scale, the methods with their options, the fields shown."""

    scale: str
    grades: GradeRows
    methods: MethodChoices
    recommended: list[str]
    wrong_option: str
    field_choices: list[tuple[str, list[str]]]
    effects: list[tuple[str, str]]
    stay: str


def choices_part(campaign: Campaign, posted: QueryDict | None = None, wrong_option: str = "") -> ChoicesPart:
    return ChoicesPart(
        (posted and posted.get("scale")) or preset_of(campaign.grades),
        _typed(posted) or campaign.grades,
        _methods(campaign, posted),
        [one.name for one in offered_methods()[0][1]],
        wrong_option,
        _field_choices(campaign, posted),
        *effects_of(campaign),
    )


def _field_choices(campaign: Campaign, posted: QueryDict | None) -> list[tuple[str, list[str]]]:
    """For each place under the title the field that is chosen, if any, and those on offer."""
    offered = offered_fields(campaign)
    chosen = campaign.shown_fields if posted is None else posted.getlist("shown_fields")
    places = min(len(offered), MOST_SHOWN)
    return [(name, offered) for name in [*chosen, *[""] * places][:places]]


def _methods(campaign: Campaign, posted: QueryDict | None) -> MethodChoices:
    """Each group's methods, each with the fields of its options."""
    runs = run_tags(campaign)

    def fields(method: str) -> list[OptionField]:
        stored = campaign.options if method == campaign.method else {}
        return fields_of(method, stored, posted, runs)

    return [(title, [(one, fields(one.name)) for one in methods]) for title, methods in offered_methods()]


def _typed(posted: QueryDict | None) -> GradeRows:
    """The rows as they were typed, right or wrong, so that nothing has to be typed twice."""
    if posted is None:
        return []
    columns = [posted.getlist(name) for name in GRADE_FIELDS]
    many = min(map(len, columns[:4]))
    rows = islice(zip_longest(*columns, fillvalue=""), many)
    return [dict(zip(GRADE_FIELDS, cells, strict=True)) for cells in rows]


class NewPage(PageContext, template="campaigns/settings/new.html"):
    form: NewForm


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new(request: HttpRequest) -> HttpResponse:
    """A draft by its name; all else comes step by step."""
    user = signed_in_user(request)
    form = NewForm(user, request.POST or None, auto_id="%s")
    if campaign := submit(form, partial(services.create, organiser=user)):
        return redirect("campaigns:setup", slug=campaign.slug)
    status = 400 if form.errors else 200
    return render_page(request, NewPage(form), status=status)


@require_safe
@organiser_page
def settings(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Redirect the former address of the settings; a part after # in the address stays."""
    return redirect("campaigns:setup", slug=campaign.slug)


def effects_of(campaign: Campaign | None) -> tuple[list[tuple[str, str]], str]:
    """Each setting's effect, and what stays; nothing in a draft, in which nothing has been judged yet."""
    if campaign is None or campaign.status == Status.DRAFT:
        return [], ""
    count = length_of(campaign=campaign)
    words = ngettext(
        "The {count} log entry made so far stays.", "All {count} log entries made so far stay.", count
    )
    stay = words.format(count=f"{count:,}") if count else gettext("Nothing has been judged so far.")
    return [(one.effect_of or one.name, str(one.effect)) for one in SETTINGS if one.effect], stay
