import assert from "node:assert/strict";
import { test } from "node:test";

import { Tally } from "../../static/assess/screen/acts/tally.js";

const GRADES = [
  { grade: 0, relevant: false },
  { grade: 1, relevant: true },
];

function tally({ history = [], aside = [], judged = history.length, relevant = 0 } = {}) {
  const made = new Tally({ grades: GRADES, progress: { judged, relevant, minimum: 3 }, history, aside });
  const changes = { count: 0 };
  made.addEventListener("change", () => {
    changes.count += 1;
  });
  return { tally: made, changes };
}

const entry = (docno, grade, id = docno) => ({ id, docno, title: "", grade, reason: "" });
const counts = ({ progress: { judged, relevant } }) => [judged, relevant];
const docnos = (entries) => entries.map(({ docno }) => docno);

test("judgments are counted, newest first", () => {
  const { tally: mine } = tally({ history: [entry("b", 1), entry("a", 0)], relevant: 1 });
  mine.judged(entry("c", 1));
  assert.deepEqual(docnos(mine.newestFirst), ["c", "b", "a"]);
  assert.deepEqual(counts(mine), [3, 2]);
});

test("a revision takes the place of what was said before", () => {
  const { tally: mine } = tally({ history: [entry("b", 0), entry("a", 1)], relevant: 1 });
  mine.judged(entry("a", 0, "a2"));
  assert.deepEqual(counts(mine), [2, 0]);
  assert.deepEqual(docnos(mine.newestFirst), ["a", "b"]);
  assert.equal(mine.of("a").id, "a2");
});

test("what comes again as new stands beside the first grade and covers it", () => {
  const { tally: mine } = tally({ history: [entry("a", 1)], relevant: 1 });
  mine.judged({ ...entry("a", 0, "again"), revision: false });
  assert.deepEqual(counts(mine), [2, 1]);
  assert.deepEqual(mine.newestFirst.map(({ id }) => id), ["again"]);
  mine.undone("a");
  assert.deepEqual(counts(mine), [1, 1]);
  assert.equal(mine.of("a").id, "a");
});

test("undoing what nobody judged changes no count", () => {
  const { tally: mine } = tally({ history: [entry("a", 1)], relevant: 1 });
  mine.undone("x");
  assert.deepEqual(counts(mine), [1, 1]);
});

test("a stretch ends at the latest relevant document, and what cannot be judged does not count", () => {
  const { tally: mine } = tally({ history: [entry("d", 0), entry("c", null), entry("b", 0), entry("a", 1)] });
  assert.equal(mine.stretch, 2);
  mine.judged(entry("e", 1));
  assert.equal(mine.stretch, 0);
  assert.equal(tally({ history: [entry("b", 0), entry("a", 0)] }).tally.stretch, 2);
});

test("what is set aside waits until it is judged, and is a revision if it had been judged", () => {
  const { tally: mine } = tally({ history: [entry("a", 0)] });
  mine.setAside({ docno: "x", title: "", revision: false });
  mine.setAside({ docno: "a", title: "", revision: true });
  assert.deepEqual([mine.isAside("x"), mine.isRevision("x"), mine.isRevision("a")], [true, false, true]);
  assert.equal(mine.isRevision("new"), false);
  mine.judged(entry("x", 0));
  assert.deepEqual(docnos(mine.aside), ["a"]);
});

test("acts may be replayed twice", () => {
  const { tally: mine } = tally();
  const judged = { path: "judgments/", body: { id: "1", docno: "a", grade: 1 } };
  const later = { path: "later/", body: { id: "2", docno: "b" } };
  for (const act of [judged, later, judged, later]) mine.replay(act, "title");
  assert.deepEqual(counts(mine), [1, 1]);
  assert.equal(mine.newestFirst[0].title, "title");
  assert.deepEqual(docnos(mine.aside), ["b"]);
  mine.replay({ path: "judgments/", body: { id: "3", docno: "a", undo: true } }, "");
  assert.deepEqual(counts(mine), [0, 0]);
});

test("the server's count changes the page only where it differs", () => {
  const { tally: mine, changes } = tally({ judged: 2, relevant: 1 });
  mine.correct({ judged: 2, relevant: 1, minimum: 3 });
  assert.equal(changes.count, 0);
  mine.correct({ judged: 3, relevant: 1, minimum: 3 });
  assert.equal(changes.count, 1);
  assert.deepEqual(counts(mine), [3, 1]);
});

test("a later visit makes the same tally of what this one kept", () => {
  const { tally: mine } = tally({ history: [entry("b", 1), entry("a", 0)], relevant: 1 });
  mine.judged({ ...entry("a", 1, "again"), revision: false });
  mine.setAside({ docno: "x", title: "", revision: false });
  const { progress, history, aside } = structuredClone(mine.snapshot);
  const later = new Tally({ grades: GRADES, progress, history, aside });
  assert.deepEqual(later.snapshot, mine.snapshot);
  assert.deepEqual(later.newestFirst, mine.newestFirst);
});
