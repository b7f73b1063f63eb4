"""The help: pages, anchors, links, search, pictures and languages, without a sign-in."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.test import Client
from django.utils import translation

from campaigns.pages.help import views
from campaigns.pages.help.handbook import (
    FOLDER,
    all_pages,
    contents,
    evidence_names,
    find_file,
    find_page,
    page_names,
)
from campaigns.pages.help.markdown import anchor_of, parse, pictures_of, render, sections_of
from campaigns.pages.help.search import search
from tests.campaigns.factories import make_campaign, signed_in

MARKS = re.compile(r"""(?:\{% help |\bhelp=)["']([\w/-]+)(?:#([\w-]*))?["']""")


def html_of(source: str, name: str = "one") -> str:
    return render(parse(source), name)


@pytest.mark.parametrize("name", [*page_names(), *evidence_names()])
def test_every_page_opens_without_a_sign_in(name: str) -> None:
    reply = Client().get(f"/help/{name}/")
    assert reply.status_code == 200
    page = find_page(name)
    assert page is not None
    assert page.sections[0].level == 1
    assert page.language != "en" or f"<title>{page.title} · Help</title>" in unescape(reply.content.decode())


def test_contents_list_names_every_page() -> None:
    listed = [name for part in contents() for _, name in part.pages]
    assert sorted(listed) == sorted(page_names())
    reply = Client().get("/help/")
    assert reply.status_code == 200
    assert "<title>Help</title>" in reply.content.decode()


def test_evidence_is_in_neither_menu_nor_search() -> None:
    assert evidence_names()
    listed = {name for part in contents() for _, name in part.pages}
    found = {hit.page.name for hit in search("calibration")}
    assert found
    assert not {*evidence_names()} & {*listed, *found}
    assert 'href="/help/evidence/calibration/"' in Client().get("/help/").content.decode()


@pytest.mark.parametrize(
    "address", ["/help/nothing/", "/help/../README/", "/help/README/", "/help/files/x.png"]
)
def test_unknown_pages_and_pictures_are_not_found(address: str) -> None:
    assert Client().get(address).status_code == 404


@pytest.mark.parametrize("address", ["/help/", "/help/methods/", "/help/search/", "/judge/guide.en.html"])
def test_help_is_only_read(address: str) -> None:
    assert Client().get(address).status_code == 200
    assert Client().post(address).status_code == 405


@pytest.mark.parametrize(
    "name", ["../README.md", "../static/site/icon.svg", "methods.md", "/etc/passwd", "."]
)
def test_pictures_come_from_the_docs_folder_only(name: str) -> None:
    assert find_file(name) is None


def test_a_picture_has_its_content_type() -> None:
    assert Client().get("/help/files/evidence/calibration.svg").headers["Content-Type"] == "image/svg+xml"


def test_links_to_files_lead_to_files() -> None:
    for page in all_pages():
        for address in re.findall(r'href="(/help/files/[^"#]+)"', page.html):
            assert Client().get(address).status_code == 200, (page.name, address)


def test_notebooks_are_downloaded() -> None:
    reply = Client().get("/help/files/notebooks/table.ipynb")
    assert reply.headers["Content-Type"] == "application/x-ipynb+json"
    assert reply.content == (FOLDER / "notebooks" / "table.ipynb").read_bytes()


def test_headings_have_the_anchors_of_github() -> None:
    assert anchor_of("What is `p`, and why 0.8?") == "what-is-p-and-why-08"
    twice = [section.anchor for section in sections_of(parse("# A\n\n## Keys\n\n## Keys\n"))]
    assert twice == ["a", "keys", "keys-1"]


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("[x](methods.md#method-c)", 'href="/help/methods/#method-c"'),
        ("[x](#here)", 'href="#here"'),
        ("[x](README.md)", 'href="/help/"'),
        ("[x](../campaigns/api/client.py)", 'href="/api/v1/client/"'),
        ("[x](https://example.org/a.md)", 'href="https://example.org/a.md"'),
        ("[x](../deploy/alerts.yml)", "<a>x</a>"),
        ("![x](calibration.svg)", 'src="/help/files/calibration.svg"'),
        ("[x](notebooks/table.ipynb)", 'href="/help/files/notebooks/table.ipynb"'),
    ],
)
def test_links_lead_to_the_sites_own_pages(source: str, address: str) -> None:
    assert address in html_of(source)


def test_translated_pages_link_relative_to_their_folder() -> None:
    assert 'href="/help/methods/"' in html_of("[x](../methods.md)", "de/assessor")
    assert 'href="/help/de/assessor/"' in html_of("[x](assessor.md)", "de/assessor")


def test_a_picture_of_two_themes_becomes_two_images() -> None:
    html = html_of(
        '<picture>\n<source media="(prefers-color-scheme: dark)" srcset="pictures/a-dark.png">\n'
        '<img alt="A" src="pictures/a.png">\n</picture>'
    )
    assert pictures_of(html) == ["/help/files/pictures/a.png", "/help/files/pictures/a-dark.png"]
    assert html.count('alt="A"') == 2
    assert "<source" not in html


def test_tables_and_code_are_escaped_and_reached_by_keyboard() -> None:
    html = html_of("## Sizes\n\n| a |\n|---|\n| <b> |\n\n```sh\nx < y\n```\n")
    assert '<div class="scroll-x" tabindex="0" role="region" aria-label="Sizes"><table>' in html
    assert '<pre tabindex="0"><code>x &lt; y\n</code></pre>' in html


def test_tables_of_one_section_have_names_of_their_own() -> None:
    table = "| a |\n|---|\n| 1 |\n"
    html = html_of(f"## Sizes\n\n{table}\nthen\n\n{table}\n## Others\n\n{table}")
    assert re.findall(r'aria-label="([^"]*)"><table>', html) == ["Sizes", "Sizes, 2", "Others"]


def test_search_finds_headings_before_texts() -> None:
    hits = search("MTC")
    assert hits
    assert "mtc" in hits[0].section.title.casefold()
    assert [hit.weight for hit in hits] == sorted((hit.weight for hit in hits), reverse=True)


def test_search_needs_every_word() -> None:
    assert search("residual zzzz") == []
    assert search("   ") == []
    for hit in search("residual topics"):
        whole = f"{hit.page.title} {hit.section.title} {hit.section.text}".casefold()
        assert "residual" in whole
        assert "topics" in whole


def test_search_shows_what_was_asked_as_text() -> None:
    page = Client().get("/help/search/", {"q": "<script>"}).content.decode()
    assert "&lt;script&gt;" in page
    assert 'value="<script>' not in page
    assert "<mark>residual</mark>" in Client().get("/help/search/", {"q": "residual"}).content.decode()


def test_a_question_mark_names_its_section() -> None:
    html = Template('{% load help %}{% help "methods#replays" %}').render(Context())
    assert 'href="/help/methods/#replays"' in html
    assert 'aria-label="Help: Replays"' in html


def templates() -> list[Path]:
    return sorted((settings.BASE_DIR / "templates").rglob("*.html"))


def test_every_question_mark_leads_to_a_heading() -> None:
    missing = []
    for template in templates():
        for name, anchor in MARKS.findall(template.read_text()):
            page = find_page(name)
            anchors = {section.anchor for section in page.sections} if page else set()
            if not page or (anchor and anchor not in anchors):
                missing.append(f"{template.name}: {name}#{anchor}")
    assert missing == []


def test_the_guide_is_offered_in_the_readers_language() -> None:
    words = "{% load help %}{% offline_guide %}"
    assert Template(words).render(Context()) == "/judge/guide.en.html"
    with translation.override("de"):
        assert Template(words).render(Context()) == "/judge/guide.de.html"
    page = Client().get("/help/assessor/").content.decode()
    assert 'href="/help/de/assessor/" lang="de"' in page
    german = Client().get("/judge/guide.de.html").content.decode()
    assert '<html lang="de">' in german
    assert Client().get("/judge/guide.xx.html").status_code == 404


def test_the_offline_guide_names_no_account(db: None) -> None:
    make_campaign()
    page = signed_in("Small-grace").get("/judge/guide.en.html").content.decode()
    assert "Small-grace" not in page
    assert "csrfmiddlewaretoken" not in page


def test_the_image_holds_the_docs() -> None:
    assert (FOLDER / "README.md").is_file()
    ignored = (settings.BASE_DIR / ".dockerignore").read_text().split()
    assert not {"docs", "docs/", "*.md", "**/*.md"} & set(ignored)


def test_the_offline_guide_does_without_a_missing_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        views, "pictures_of", lambda html: ["/help/files/none.png", "/help/files/evidence/calibration.svg"]
    )
    addresses, files = views.offline_files()
    assert addresses == [
        "/judge/guide.en.html",
        "/help/files/evidence/calibration.svg",
        "/judge/guide.de.html",
    ]
    assert all(file.is_file() for file in files)
