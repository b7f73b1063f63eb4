"""How documents are read: stemming, highlighting, plain text as something to read."""

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


BLOCKS = """
return [...m.elementsOf(argument)].map((part) => [part.localName, part.className, part.textContent]);
"""


def blocks(page: Page, text: str) -> list[list[str]]:
    return list(call(page, "screen/reading/text", BLOCKS, text))


def test_hard_wrapped_lines_are_joined_and_others_kept(module: Page) -> None:
    text = (
        "Return the eigenvalues and eigenvectors of a complex Hermitian\n"
        "(conjugate symmetric) or a real symmetric matrix.\n\n"
        "First line.\nSecond line.\n"
    )
    assert [row[2] for row in blocks(module, text)] == [
        "Return the eigenvalues and eigenvectors of a complex Hermitian (conjugate symmetric) or a real "
        "symmetric matrix.",
        "First line.",
        "Second line.",
    ]


def test_sections_entries_lists_and_code_keep_their_shape(module: Page) -> None:
    text = (
        "Parameters\r\n----------\r\n"
        "a : array\r\n    The rows that are to be sorted, of which there may be any number, given as\r\n"
        "    one array.\r\n"
        "b : int\r\n    How many.\r\n\r\n"
        "- first of the items\r\n- second\r\n\r\n"
        ">>> f(1)\r\n  2\r\n\r\n>>> f(2)\r\n  3\r\n\r\n"
        "as in::\r\n\r\n    if x:\r\n        y()\r\n\r\nThe end.\r\n"
    )
    assert blocks(module, text) == [
        ["h2", "", "Parameters"],
        ["p", "", "a : array"],
        [
            "p",
            "in-1",
            "The rows that are to be sorted, of which there may be any number, given as one array.",
        ],
        ["p", "", "b : int"],
        ["p", "in-1", "How many."],
        ["p", "item", "- first of the items"],
        ["p", "item", "- second"],
        ["pre", "", ">>> f(1)\n  2\n\n>>> f(2)\n  3"],
        ["p", "", "as in::"],
        ["pre", "", "if x:\n    y()"],
        ["p", "", "The end."],
    ]


PYTHON = """import math


def far(rows):
    # How far each row is from the first one.
    first = rows[0]
    for row in rows:
        yield math.dist(row, first)
"""
C = """#include <stdio.h>

int main(void) {
\tputs("rows");
\treturn 0;
}
"""


@pytest.mark.parametrize("text", [PYTHON, C])
def test_a_program_keeps_its_lines(module: Page, text: str) -> None:
    assert blocks(module, text) == [["pre", "", text.strip().replace("\t", "    ")]]


def test_sentences_about_programs_are_no_program(module: Page) -> None:
    text = (
        "If the rows are equal, return the first:\nfor a matrix (of any size), sort(rows) is called;\n"
        "while it runs, nothing is printed.\nImport it from the library and try it."
    )
    assert {name for name, *_ in blocks(module, text)} == {"p"}


@pytest.mark.parametrize(
    "text", ["", "\n\n", "x", "\x00", "-----", "a" * 300_000, "word " * 100_000, "\n" * 50_000]
)
def test_no_word_is_lost_whatever_the_text(module: Page, text: str) -> None:
    shown = "".join(row[2] for row in blocks(module, text))
    assert shown.split() == [word for word in text.split() if word != "-----"]


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
