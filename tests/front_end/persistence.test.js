import assert from "node:assert/strict";
import { test } from "node:test";

import { depthFor, readerWords } from "../../static/campaigns/setup/persistence_picture.js";

for (const [p, depth, tenth] of [
  [0.5, "2 documents", "fewer than 1 in 100"],
  [0.8, "5 documents", "13%"],
  [0.95, "20 documents", "63%"],
]) {
  test(`words for p = ${p}`, () => {
    const words = readerWords(p);
    assert.ok(words.includes(depth), words);
    assert.ok(words.includes(tenth), words);
  });
}

test("behind the depth lies a twentieth of the weight, and more before it", () => {
  for (const p of [0.5, 0.8, 0.95]) {
    const depth = depthFor(p, 0.95);
    assert.ok(p ** depth <= 0.05 && p ** (depth - 1) > 0.05);
  }
});
