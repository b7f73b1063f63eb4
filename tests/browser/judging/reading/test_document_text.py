"""How documents are read: stemming and highlighting."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.judging_desk import Desk, desk_campaign

# Its language stands on its tag, as on the judging screen.
STEMMER = """() => new Promise((done) => {
  const script = Object.assign(document.createElement("script"), { onload: done });
  script.dataset.stemmer = "english";
  script.src = "/static/stemmers/english-stemmer.js";
  document.head.append(script);
})"""


@pytest.fixture
def module(page: Page) -> Page:
    """A page from which the scripts' modules can be loaded."""
    page.goto("/sign-in/")
    page.add_script_tag(url="/static/stemmers/base-stemmer.js")
    page.evaluate(STEMMER)
    return page


def call(page: Page, module: str, body: str, argument: Any = None) -> Any:
    script = f"async (argument) => {{ const m = await import('/static/assess/{module}.js'); {body} }}"
    return page.evaluate(script, argument)


SAME = [
    ("matrix", "matrices"),
    ("index", "indices"),
    ("sort", "sorted"),
    ("sort", "sorting"),
    ("stop", "stopping"),
    ("compute", "computing"),
    ("compute", "computation"),
    ("compute", "computer"),
    ("query", "queries"),
    ("class", "classes"),
    ("box", "boxes"),
    ("symmetric", "symmetrical"),
    ("normalise", "normalisation"),
    ("Café", "cafes"),
    ("library", "libraries"),
    ("eigenvalue", "eigenvalues"),
    ("file", "filing"),
]
DIFFERENT = [
    ("string", "strict"),
    ("ring", "red"),
    ("class", "clad"),
    ("bus", "bu"),
    ("list", "listen"),
    ("h2", "h2s"),
    ("thing", "th"),
    ("this", "thi"),
]


def test_stems(module: Page) -> None:
    words = sorted({word for pair in SAME + DIFFERENT for word in pair})
    stems = dict(call(module, "terms/stem", "return argument.map((word) => [word, m.stem(word)]);", words))
    assert [pair for pair in SAME if stems[pair[0]] != stems[pair[1]]] == []
    assert [pair for pair in DIFFERENT if stems[pair[0]] == stems[pair[1]]] == []


MARK = """
const { termsOf } = await import('/static/assess/terms/terms.js');
const root = document.createElement('div');
const paragraph = (text) => Object.assign(document.createElement('p'), { textContent: text });
root.append(...argument.parts.map(paragraph));
const terms = m.indexOf(termsOf(argument.title, argument.personal));
const { found } = m.find(root, terms);
const marks = m.highlight(root, terms);
if (found.map(({ term }) => term.label).join() !== marks.map(({ term }) => term.label).join()) throw found;
const seen = marks.map(({ mark, term }) => [mark.textContent, term.label]);
m.clearMarks(root);
return { seen, left: [...root.children].map((p) => [p.textContent, p.childNodes.length]) };
"""


def marked(page: Page, title: str, personal: list[str], *parts: str) -> dict[str, Any]:
    argument = {"title": title, "personal": personal, "parts": parts}
    result = call(page, "terms/highlight", MARK, argument)
    assert result["left"] == [[part, 1] for part in parts]
    return dict(result)


def test_terms_are_found_in_every_form_and_stop_words_are_not(module: Page) -> None:
    found = marked(
        module, "the eigenvalues of a matrix", [], "The eigenvalue of two Matrices.", "Of the eigens."
    )
    assert found["seen"] == [["eigenvalue", "eigenvalues"], ["Matrices", "matrix"]]


def test_a_phrase_is_one_match_and_wins_over_its_words(module: Page) -> None:
    found = marked(module, "matrix", ["sparse matrix"], "A sparse_matrix, sparse matrices; sparse. Matrix")
    assert [text for text, _ in found["seen"]] == ["sparse_matrix", "sparse matrices", "Matrix"]


def test_parts_of_words_and_hostile_terms_are_harmless(module: Page) -> None:
    found = marked(module, "cat <b>.*(", ["[", "a+b\\"], "concatenate <b>cat</b> a+b")
    assert ["cat", "cat"] in found["seen"]
    assert "concatenate" not in [text for text, _ in found["seen"]]


@pytest.mark.usefixtures("celery_worker")
def test_terms_are_counted_walked_and_added(page: Page, live_site: str) -> None:
    desk_campaign()
    desk = Desk(page, live_site)
    desk.open()
    counts = page.locator("#match-counts")
    expect(counts).to_have_text("11 matches: sorting 5 · rows 3 · matrices 3")
    desk.press("t")
    expect(page.locator("mark.here")).to_have_text("Sort")
    desk.press("T")
    expect(page.locator("mark.here")).to_have_text("sort")
    page.locator("#term").fill("original")
    desk.press("Enter")
    expect(counts).to_contain_text("original 1")
    desk.open()
    expect(counts).to_contain_text("original 1")
    page.get_by_role("button", name="Remove the term original").click()
    expect(counts).not_to_contain_text("original")
