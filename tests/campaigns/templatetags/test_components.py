"""A row of a form: what describes its control, with and without an error."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django import forms
from django.template import Context, Template

from campaigns.core.errors import Refusal


class CupForm(forms.Form):
    cups = forms.IntegerField(label="Cups")


def drawn(text: str, **context: Any) -> str:
    """Render without the white space around tags."""
    html = " ".join(Template("{% load components %}" + text).render(Context(context)).split())
    return re.sub(" ?([<>]) ?", r"\1", html)


CODE = '{% field "code" label="Code" id="c" help_text="Six digits" %}<input{{ control }}>{% endfield %}'


def test_a_row_names_its_control_and_its_help() -> None:
    html = drawn(CODE)
    assert '<div class="field"><label for="c">Code</label>' in html
    assert '<p dir="auto" class="hint" id="c_helptext">Six digits</p>' in html
    assert '<input aria-describedby="c_helptext" id="c" name="code">' in html


@pytest.mark.parametrize(("field", "wrong"), [("code", True), ("other", False)])
def test_only_the_refused_control_is_marked(field: str, wrong: bool) -> None:
    html = drawn(CODE, refused=Refusal("invalid", "no such code", field=field))
    assert ("field wrong" in html) is wrong
    assert ('aria-describedby="c_helptext refused" aria-invalid="true"' in html) is wrong


def test_a_form_brings_its_label_and_its_errors() -> None:
    text = '{% field form.cups help_text="A day" %}{{ form.cups }}{% endfield %}'
    html = drawn(text, form=CupForm({"cups": "many"}))
    assert '<label for="id_cups">Cups</label>' in html
    assert 'aria-describedby="id_cups_helptext id_cups_error"' in html
    assert '<ul class="errorlist" id="id_cups_error"><li>Enter a whole number.</li></ul>' in html


def test_words_are_escaped() -> None:
    html = drawn('{% field "code" label=label error=wrong %}{% endfield %}', label="<b>", wrong="<i>")
    assert "&lt;b&gt;" in html
    assert "&lt;i&gt;" in html
    title = drawn('{% dialog "keys" title=label close="Shut" %}{{ label }}{% enddialog %}', label="<b>")
    assert '<h2 id="keys-title">&lt;b&gt;</h2>&lt;b&gt;' in title
