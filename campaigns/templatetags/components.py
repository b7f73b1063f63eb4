"""Parts of pages that surround markup of the page: a row of a form, a dialog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import template
from django.forms import BoundField
from django.forms.utils import ErrorList, flatatt
from django.template.base import FilterExpression, NodeList, Parser, Token, token_kwargs
from django.template.loader import render_to_string
from django.utils.html import format_html, html_safe
from django.utils.safestring import SafeString

register = template.Library()


@html_safe
@dataclass
class FormRow:
    """Form row for the template, made of a `BoundField`. `refused`: the page's notice `#refused` gives the
    reason; `announced`: nothing else on the page shows the error; `help_place`: the place where the help
    explains it; `classes`: of the row, beside `field`."""

    html_name: str
    id_for_label: str
    label: str
    help_text: str
    errors: ErrorList
    refused: bool
    use_fieldset: bool
    announced: bool
    help_place: str = ""
    classes: str = ""
    control: str = ""

    def __str__(self) -> str:
        return self.control

    def attributes(self) -> SafeString:
        """Id and name of the control, and what describes it."""
        parts = {"_helptext": self.help_text, "_error": self.errors}
        described = [self.id_for_label + end for end, said in parts.items() if said]
        described += ["refused"] if self.refused else []
        values = {"id": self.id_for_label, "name": self.html_name}
        values |= {"aria-describedby": " ".join(described)} if described else {}
        return flatatt(values | ({"aria-invalid": "true"} if self.errors or self.refused else {}))


class FieldNode(template.Node):
    child_nodelists = ("body",)

    def __init__(self, target: FilterExpression, given: dict[str, FilterExpression], body: NodeList) -> None:
        self.target, self.given, self.body = target, given, body

    def render(self, context: template.Context) -> SafeString:
        row = self.row(context)
        with context.push(control=row.attributes()):
            row.control = self.body.render(context)
        return render_to_string("django/forms/field.html", {"field": row})

    def row(self, context: template.Context) -> FormRow:
        given: dict[str, Any] = {name: value.resolve(context) for name, value in self.given.items()}
        target = self.target.resolve(context)
        if isinstance(target, BoundField):
            words = given.get("help_text", target.help_text)
            # The form's own control names its description.
            target.help_text = words
            label, name, id = given.get("label", target.label), target.html_name, target.auto_id
            errors = target.errors
        else:
            words = given.get("help_text", "")
            label, name, id = given["label"], target, given.get("id", target)
            errors = ErrorList([given["error"]] if given.get("error") else [], field_id=id)
        refused = given.get("refused", getattr(context.get("refused"), "field", None) == name)
        return FormRow(
            name,
            id,
            label,
            words,
            errors,
            bool(refused),
            given.get("fieldset", False),
            "error" in given and "refused" not in given,
            given.get("help", ""),
            given.get("class", ""),
        )


@register.tag("field")
def form_row(parser: Parser, token: Token) -> FieldNode:
    """`{% field form.name help_text=_("…") %}{{ form.name }}{% endfield %}`, or without a form, by the name
    that a refusal gives: `{% field "code" label=_("Code") %}<input {{ control }}>{% endfield %}`.

    `help="page#anchor"` puts a "?" beside the label, `class="words"` names the row's part in a layout, and
    `refused=` says whether the page's refusal is of this row, where its name is not enough."""
    _, target, *given = token.split_contents()
    body = parser.parse(("endfield",))
    parser.delete_first_token()
    return FieldNode(parser.compile_filter(target), token_kwargs(given, parser), body)


@register.simple_block_tag
def dialog(content: str, id: str, title: str, close: str = "") -> SafeString:
    """`close`: the words of the button that closes it, unless its content brings one."""
    words = '<form method="dialog" class="row end"><button class="button">{}</button></form>'
    end = format_html(words, close) if close else ""
    words = '<dialog id="{0}" aria-labelledby="{0}-title"><h2 id="{0}-title">{1}</h2>{2}{3}</dialog>'
    return format_html(words, id, title, content, end)


@register.simple_block_tag
def filter_bar(
    content: str,
    label: str,
    *,
    id: str = "",
    action: str = "",
    button: str = "",
    all: str = "",
    live: str = "",
    typing: bool = False,
) -> SafeString:
    """Rows of a form beside each other, and the button that asks with them. `all`: the address without a
    filter; `live`: the id of the part that changes without a reload, also while `typing`."""
    names = {"content": content, "label": label, "id": id, "action": action, "button": button, "all": all}
    return render_to_string("campaigns/tables/_filter.html", {**names, "live": live, "typing": typing})
