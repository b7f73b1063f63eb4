import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Patience } from "../../static/assess/offline/patience.js";
import { QuietPage } from "./pages/pages.js";

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

/** Whether a wait has ended, once all that waits for it has run. */
function watched(waiting) {
  const state = { over: false };
  waiting.then(() => {
    state.over = true;
  });
  return state;
}

const settle = () => new Promise((resolve) => {
  setImmediate(resolve);
});

/** How long a wait takes, found in steps of half a second. */
async function lengthOf(patience) {
  const state = watched(patience.wait());
  let waited = 0;
  while (!state.over) {
    mock.timers.tick(500);
    waited += 500;
    await settle();
  }
  return waited;
}

test("each wait is twice as long as the one before, up to half a minute", async () => {
  const patience = new Patience(new QuietPage());
  const waits = [];
  for (let count = 0; count < 7; count += 1) waits.push(await lengthOf(patience));
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test("after a success the first wait is short again", async () => {
  const patience = new Patience(new QuietPage());
  await lengthOf(patience);
  await lengthOf(patience);
  patience.reset();
  assert.equal(await lengthOf(patience), 1000);
});

for (const [name, sign] of Object.entries({
  "the network": (page) => page.dispatchEvent(new Event("online")),
  "a look at the page": (page) => page.turn(false),
})) {
  test(`${name} cuts a wait short`, async () => {
    const page = new QuietPage();
    const state = watched(new Patience(page).wait());
    await settle();
    assert.equal(state.over, false);
    sign(page);
    await settle();
    assert.equal(state.over, true);
  });
}

test("a page that is hidden waits on", async () => {
  const page = new QuietPage();
  const state = watched(new Patience(page).wait());
  page.turn(true);
  await settle();
  assert.equal(state.over, false);
});
