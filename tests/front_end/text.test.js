import assert from "node:assert/strict";
import { test } from "node:test";

import { blocksOf } from "../../static/assess/screen/reading/text.js";

const rows = (text) => [...blocksOf(text)].map((block) => [block.name, block.className, block.text]);

test("hard-wrapped lines are joined and others kept", () => {
  const text = [
    "Return the eigenvalues and eigenvectors of a complex Hermitian",
    "(conjugate symmetric) or a real symmetric matrix.",
    "",
    "First line.",
    "Second line.",
    "",
  ].join("\n");
  assert.deepEqual(rows(text).map(([, , words]) => words), [
    "Return the eigenvalues and eigenvectors of a complex Hermitian (conjugate symmetric) or a real symmetric matrix.",
    "First line.",
    "Second line.",
  ]);
});

test("sections, entries, lists and code keep their shape", () => {
  const text = [
    "Parameters",
    "----------",
    "a : array",
    "    The rows that are to be sorted, of which there may be any number, given as",
    "    one array.",
    "b : int",
    "    How many.",
    "",
    "- first of the items",
    "- second",
    "",
    ">>> f(1)",
    "  2",
    "",
    ">>> f(2)",
    "  3",
    "",
    "as in::",
    "",
    "    if x:",
    "        y()",
    "",
    "The end.",
    "",
  ].join("\r\n");
  assert.deepEqual(rows(text), [
    ["h2", "", "Parameters"],
    ["p", "", "a : array"],
    ["p", "in-1", "The rows that are to be sorted, of which there may be any number, given as one array."],
    ["p", "", "b : int"],
    ["p", "in-1", "How many."],
    ["p", "item", "- first of the items"],
    ["p", "item", "- second"],
    ["pre", "", ">>> f(1)\n  2\n\n>>> f(2)\n  3"],
    ["p", "", "as in::"],
    ["pre", "", "if x:\n    y()"],
    ["p", "", "The end."],
  ]);
});

const PYTHON = `import math


def far(rows):
    # How far each row is from the first one.
    first = rows[0]
    for row in rows:
        yield math.dist(row, first)
`;
const C = '#include <stdio.h>\n\nint main(void) {\n\tputs("rows");\n\treturn 0;\n}\n';

for (const [language, program] of Object.entries({ Python: PYTHON, C })) {
  test(`a program in ${language} keeps its lines`, () => {
    assert.deepEqual(rows(program), [["pre", "", program.trim().replaceAll("\t", "    ")]]);
  });
}

test("sentences about programs are no program", () => {
  const text = [
    "If the rows are equal, return the first:",
    "for a matrix (of any size), sort(rows) is called;",
    "while it runs, nothing is printed.",
    "Import it from the library and try it.",
  ].join("\n");
  assert.deepEqual(new Set(rows(text).map(([name]) => name)), new Set(["p"]));
});

const HARD = {
  nothing: "",
  "blank lines": "\n\n",
  "a letter": "x",
  "a control character": "\x00",
  "an underline": "-----",
  "a word without end": "a".repeat(300_000),
  "a line without end": "word ".repeat(100_000),
  "a line of pairs without end": "🙂".repeat(20_001),
  "newlines without end": "\n".repeat(50_000),
};
for (const [what, text] of Object.entries(HARD)) {
  test(`no word is lost in ${what}`, () => {
    const words = (whole) => whole.split(/\s+/).filter((word) => word && word !== "-----");
    const pieces = rows(text).map(([, , piece]) => piece);
    assert.deepEqual(words(pieces.join("")), words(text));
    assert.ok(pieces.every((piece) => piece.isWellFormed()));
  });
}
