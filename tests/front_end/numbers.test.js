import assert from "node:assert/strict";
import { test } from "node:test";

import { base, nearest, number, percentage, score, small, top } from "../../static/site/numbers.js";
import { gettext, ngettext } from "../../static/site/words.js";

// That scripts round as the server does, a test in Python sees: test_number_rounding.py.

test("of two numbers equally near the even one is taken, on either side of nothing", () => {
  assert.deepEqual([0.5, 1.5, 2.5, -0.5, -1.5].map((value) => nearest(value, 0)), [0, 2, 2, 0, -2]);
  assert.deepEqual([0.125, 0.375].map((value) => nearest(value, 2)), [0.12, 0.38]);
  assert.equal(nearest(1.005, 2), 1);
});

test("numbers have a minus sign, and none at nothing", () => {
  assert.deepEqual([-1.25, -0.0001, -0].map((value) => number(value, 2)), ["−1.25", "0.00", "0.00"]);
});

test("a dash stands for what nobody knows", () => {
  assert.deepEqual([number(null), number(NaN), score(null)], ["–", "–", "–"]);
});

test("zeros at the end stay as far as asked", () => {
  assert.deepEqual([number(2, 2), number(2, 2, 0), number(2.5, 2, 1)], ["2.00", "2", "2.5"]);
});

test("score ranges are rounded outwards, but not by noise", () => {
  assert.deepEqual([base(0.1239), top(0.1231)], ["0.123", "0.124"]);
  assert.deepEqual([base(0.1 + 0.2), top(0.1 + 0.2)], ["0.300", "0.300"]);
});

test("what is nearly nothing is not called nothing", () => {
  assert.deepEqual([small(0.00042), small(0.05)], ["< 0.001", "0.050"]);
});

test("no percentage is 100 while a part is missing", () => {
  assert.deepEqual([percentage(0.973), percentage(0.99999), percentage(1)], ["97.3", "99.9", "100"]);
});

test("names from right to left are isolated", () => {
  const name = "\u062a\u062c\u0631\u0628\u0629 5";
  assert.equal(gettext("{name}: 5 runs", { name }), `\u2068${name}\u2069: 5 runs`);
  assert.equal(ngettext("{count} run of {name}", "{count} runs of {name}", 2, { name }), `2 runs of \u2068${name}\u2069`);
  assert.equal(gettext("{name}\u2026", { name: `a\n${name}` }), `\u2068a\n${name}\u2069\u2026`);
});

test("other names stay as they are", () => {
  assert.equal(gettext("{name}: {n}", { name: "Zo\u00eb", n: 5 }), "Zo\u00eb: 5");
});
