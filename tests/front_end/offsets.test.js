import assert from "node:assert/strict";
import { test } from "node:test";

import { align, codePoints, sourceOf, wordAt, wordsOf } from "../../static/assess/screen/reading/offsets.js";

/** The characters of the source to which those of the shown text belong. */
function aligned(shown, source) {
  return Array.from(align(shown, source), (place) => (place < 0 ? " " : source[place])).join("");
}

test("shown letters belong to their letters in the source, whatever blanks stand between", () => {
  assert.equal(aligned("a few words", "a\n   few\t words\n"), "a few words");
  assert.deepEqual([...align("ab c", "a b  c")], [0, 2, -1, 5]);
});

test("an underline that is not shown is passed over", () => {
  const source = "Title\n=====\nText = more";
  assert.equal(aligned("Title Text = more", source), "Title Text = more");
  assert.equal(align("Title Text", source)[6], source.indexOf("Text"));
});

test("an underline that is shown has its place", () => {
  const source = "a\n-----\nb";
  assert.deepEqual([...align("a\n-----\nb", source)].filter((place) => place >= 0), [0, 2, 3, 4, 5, 6, 8]);
});

test("what the source lacks has no place", () => {
  assert.deepEqual([...align("abc", "ab")], [0, 1, -1]);
});

test("places count code points, and a pair of halves is one", () => {
  assert.deepEqual([0, 1, 3, 4].map((place) => codePoints("a🙂b", place)), [0, 1, 2, 3]);
});

test("a passage's words are cut by code points, with single blanks", () => {
  assert.equal(wordsOf("🙂 two\n   words here", { start: 2, end: 14 }), "two words");
});

test("only text can be marked", () => {
  assert.equal(sourceOf({ body: "words" }), "words");
  assert.equal(sourceOf({ kind: "markdown", body: "# words" }), "# words");
  assert.equal(sourceOf({ kind: "pdf", body: "words" }), "");
});

/** The part of a text that is marked when the first occurrence of some of its characters is selected. */
function marked(text, selected) {
  const start = text.indexOf(selected);
  return text.slice(wordAt(text, start)[0], wordAt(text, start + selected.length)[1]);
}

test("a selection that begins or ends inside a word grows to its ends", () => {
  assert.equal(marked("sort the rows", "rt th"), "sort the");
  assert.equal(marked("it doesn’t sort", "n’"), "doesn’t");
  assert.equal(marked("unknown-8bit text", "known-8"), "unknown-8bit");
  assert.equal(marked("𝔸da e\u0301mile", "a e"), "𝔸da e\u0301mile");
  assert.equal(marked("한국어는 좋다", "국"), "한국어는");
  assert.equal(marked("كتاب جديد", "تا"), "كتاب");
});

test("a selection of whole words, or of what is no word, stays as it is", () => {
  for (const selected of ["sort", "sort the rows", " the ", "🎬", "-"]) assert.equal(marked("- sort the rows 🎬", selected), selected);
});

test("a selection in a script without blanks between words stays as it is", () => {
  for (const [text, selected] of [["湖の水質調査", "の水"], ["カタカナ", "タ"], ["สวัสดีครับ", "ส"], ["ភាសាខ្មែរ", "សា"]]) {
    assert.equal(marked(text, selected), selected);
  }
});

test("a browser that knows no words leaves every selection as it is", (context) => {
  context.mock.property(Intl, "Segmenter", undefined);
  assert.equal(marked("sort the rows", "rt"), "rt");
});
