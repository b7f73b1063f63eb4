from __future__ import annotations

from pathlib import Path

import pytest
from django.template import Context, Template, TemplateSyntaxError
from pytest_django import Settings

from campaigns.templatetags.modules import imports_of


@pytest.fixture
def scripts(tmp_path: Path, settings: Settings) -> Path:
    """Of a site whose scripts are read again each time."""
    settings.STATICFILES_DIRS = [tmp_path]
    settings.DEBUG = True
    imports_of.cache_clear()
    texts = {
        "page/main.js": """
import { a } from "./a.js";
import {
  b,
  c,
} from "../shared/b.js";
import "./c.js";
""",
        "page/a.js": """export { b } from "../shared/b.js";\nconst said = "import nothing";\n""",
        "page/c.js": """// import { no } from "./no.js";\nimport { a } from "./a.js";\n""",
        "shared/b.js": """import { main } from "../page/main.js";\nimport("../page/late.js");\n""",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def drawn() -> str:
    return Template('{% load modules %}{% module "page/main.js" %}').render(Context())


def test_all_that_a_script_imports_is_named_once(scripts: Path) -> None:
    links = [
        f'<link rel="modulepreload" href="/static/{name}">'
        for name in ("page/a.js", "shared/b.js", "page/c.js")
    ]
    script = '<script type="module" src="/static/page/main.js"></script>'
    assert [line.strip() for line in drawn().splitlines()] == [*links, script]


def test_a_missing_script_is_named(scripts: Path) -> None:
    (scripts / "shared" / "b.js").unlink()
    with pytest.raises(TemplateSyntaxError, match=r"no script shared/b\.js"):
        drawn()
