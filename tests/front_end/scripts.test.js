import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import "./pages/english_page.js";
import { indexOf, matchesIn } from "../../static/assess/terms/highlight.js";
import { fold, termsOfRun } from "../../static/assess/terms/scripts.js";
import { termsOf } from "../../static/assess/terms/terms.js";

// Also read by tests/campaigns/collection/test_terms.py.
const table = JSON.parse(readFileSync(new URL("scripts.json", import.meta.url), "utf8"));

const marked = (title, text) =>
  Array.from(matchesIn(text, indexOf(termsOf(title, []))), ({ start, end }) => text.slice(start, end));

for (const [text, folded] of table.folded) {
  test(`${text} is folded`, () => assert.equal(fold(text), folded.normalize("NFC")));
}

for (const [run, terms] of table.runs) {
  test(`${run} asks for its words`, () => assert.deepEqual(termsOfRun(fold(run)), terms.map(fold)));
}

for (const [title, text, pieces] of table.matches) {
  test(`${title} is found in ${text}`, () => assert.deepEqual(marked(title, text), pieces));
}

test("of a run of signs, thirty are compared", () => {
  assert.equal(fold(`ก${"\u0e48".repeat(100_000)} b`), `ก${"\u0e48".repeat(30)} b`);
  assert.equal(fold(`a${"\u0301\u0323".repeat(50_000)}b`), "ab");
});

test("a title of small words still has terms, and one without words has none", () => {
  assert.deepEqual(termsOf("to be", []).map(({ label }) => label), ["to", "be"]);
  assert.deepEqual(termsOf("…?", []), []);
});

test("of a long run, what stands together is one match with its own label", () => {
  const matches = [...matchesIn("评价方法与图书馆", indexOf(termsOf("图书馆评价方法研究", [])))];
  assert.deepEqual(matches.map(({ term }) => term.label), ["评价方法", "图书馆"]);
});

test("an assessor’s own term is a phrase of letters, also over a line’s end", () => {
  const [{ term, start, end }] = matchesIn("国家图书\n馆", indexOf(termsOf("", ["图书馆"])));
  assert.deepEqual([term.own, start, end], [true, 2, 6]);
});
