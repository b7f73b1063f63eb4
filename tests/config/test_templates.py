from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import Context, Engine
from django.test import Client

from config.templates import without_indentation


@pytest.mark.django_db
def test_pages_carry_no_indentation(client: Client) -> None:
    page = client.get("/sign-in/").content.decode()
    assert "<form" in page
    assert not re.search(r"\n[ \t]+\S", page)


def test_lines_keep_their_numbers() -> None:
    source = "<p>\n  {% if a %}\n\t\ta\n\n  {% endif %}\n</p>\n"
    assert without_indentation(source) == "<p>\n{% if a %}\na\n\n{% endif %}\n</p>\n"


def test_messages_keep_the_key_by_which_they_are_translated() -> None:
    message = "{% blocktranslate %}\n    Two\n    lines\n  {% endblocktranslate %}"
    trimmed = message.replace("%}", "trimmed %}", 1)
    assert without_indentation(f"<p>\n  {message}\n  {trimmed}\n</p>") == f"<p>\n{message}\n{trimmed}\n</p>"


def test_only_html_loses_its_indentation(tmp_path: Path) -> None:
    for name in ("page.html", "mail.txt"):
        (tmp_path / name).write_text("one\n  two\n")
    engine = Engine(loaders=[("config.templates.Loader", [tmp_path])])
    assert engine.get_template("page.html").render(Context()) == "one\ntwo\n"
    assert engine.get_template("mail.txt").render(Context()) == "one\n  two\n"
