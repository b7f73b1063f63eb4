import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  PLACES, addressOf, adviceWords, choicesOf, contentWords, docnosByPath, fieldWords, groupWords, headOf, placeOf,
} from "../../static/campaigns/setup/files/file_kinds.js";

test("every kind that goes somewhere goes to a place of the work's order", () => {
  const kinds = ["documents", "topics", "archive", "run", "qrels"];
  assert.deepEqual(kinds.map((kind) => placeOf({ kind })), PLACES);
  assert.deepEqual(["prels", "unknown", "bundle"].map((kind) => placeOf({ kind })), ["", "", ""]);
});

test("archives are sent to the page of files, all others to their own", () => {
  assert.deepEqual(PLACES.map(addressOf), ["collection/", "topics/", "files/", "runs/", "qrels/"]);
});

test("only the head of a file is looked at", () => {
  assert.equal(headOf(new Blob(["x".repeat(70_000)])).size, 65_536);
});

test("choices are those for which the file may be used", () => {
  assert.deepEqual(choicesOf({ kind: "document" }, true), ["collection"]);
  assert.deepEqual(choicesOf({ kind: "unknown" }, false), ["collection", "topics", "runs", "qrels"]);
  assert.deepEqual(choicesOf({ kind: "unknown" }, true), ["collection", "topics"]);
  assert.deepEqual(choicesOf({ kind: "topics", certain: true }, false), []);
});

const topics = (...counts) => counts.map((count) => ({ found: { topics: count } }));

test("groups count files, and topics where all are known", () => {
  assert.equal(groupWords("runs", topics(null)), "1 run");
  assert.equal(groupWords("collection", topics(null, null)), "2 files of documents");
  assert.equal(groupWords("topics", topics(20, 5)), "25 topics");
  assert.equal(groupWords("topics", topics(20, null)), "2 files of topics");
  const unknown = [{ kind: "x", words: "an image" }, { kind: "x", words: "an image" }, { kind: "prels" }];
  assert.equal(groupWords("", unknown.map((found) => ({ found }))), "3 files not recognised: image, prels");
});

test("contents and fields without words of their own keep their names", () => {
  assert.deepEqual([contentWords({ kind: "unknown", words: "a PDF" }), contentWords({ kind: "unknown", words: "a thing" })], ["PDF", "a thing"]);
  assert.deepEqual([fieldWords("docno"), fieldWords("colour")], ["docno", "colour"]);
});

test("files that go nowhere come with advice, others with none", () => {
  for (const kind of ["prels", "sampled qrels", "training", "bundle", "document"]) assert.notEqual(adviceWords({ kind }), "");
  assert.equal(adviceWords({ kind: "run" }), "");
});

test("docnos of pages are those that an archive gives", () => {
  const table = JSON.parse(readFileSync(new URL("docnos_by_path.json", import.meta.url), "utf8"));
  for (const docnos of table) assert.deepEqual(Object.fromEntries(docnosByPath(Object.keys(docnos))), docnos);
});
