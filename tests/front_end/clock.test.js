import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock } from "../../static/assess/screen/acts/clock.js";
import { QuietPage } from "./pages/pages.js";

const MINUTE = 60_000;

/** A clock that the test turns, on a page of its own. */
function turned() {
  const page = new QuietPage();
  let now = 5000;
  const clock = new Clock(() => now, page);
  clock.start();
  const pass = (milliseconds, sign) => {
    now += milliseconds;
    if (sign) page.dispatchEvent(new Event(sign));
  };
  return { clock, page, pass };
}

test("time with signs of life counts whole", () => {
  const { clock, pass } = turned();
  for (const sign of ["keydown", "pointermove", "scroll", "touchstart"]) pass(MINUTE / 2, sign);
  assert.equal(clock.read(), 2 * MINUTE);
});

test("without a sign of life a minute counts at most", () => {
  const { clock, pass } = turned();
  pass(30 * MINUTE);
  assert.equal(clock.awake, false);
  pass(0, "keydown");
  pass(1000);
  assert.equal(clock.awake, true);
  assert.equal(clock.read(), MINUTE + 1000);
});

test("time in a hidden tab does not count", () => {
  const { clock, page, pass } = turned();
  pass(1000);
  page.turn(true);
  pass(20_000);
  assert.equal(clock.awake, false);
  page.turn(false);
  pass(2000);
  assert.equal(clock.read(), 3000);
});

test("each document begins at nothing, in a hidden tab too", () => {
  const { clock, page, pass } = turned();
  pass(1000);
  clock.start();
  assert.equal(clock.read(), 0);
  page.turn(true);
  clock.start();
  pass(1000);
  assert.equal(clock.read(), 0);
});
