import assert from "node:assert/strict";
import { test } from "node:test";

import { liveWords, noticeWords, servingWords, troubles } from "../../static/campaigns/live/words.js";

const UP = { worker: "up", worker_heard: 1, broker: "up", database: "up", head: 7, applied: 7 };
const CASES = [
  [{}, []],
  [{ worker: "down", worker_heard: 20.2 }, ["The worker has not reported for 20 s."]],
  [{ worker: "down", worker_heard: null }, ["No worker has reported yet."]],
  [{ worker: "down", worker_heard: 7200 }, ["for 2 hours"]],
  [{ broker: "down" }, ["The broker does not answer"]],
  // Without the broker no page hears the worker, and without the database no page can show that.
  [{ broker: "down", worker: "down" }, ["The broker does not answer"]],
  [{ database: "down", broker: "down" }, ["The database does not answer"]],
  [{ stalled: true }, ["The worker does not compute this campaign."]],
  [{ stalled: true, worker: "down", worker_heard: 20 }, ["has not reported"]],
];

for (const [change, words] of CASES) {
  test(`troubles of ${JSON.stringify(change)}`, () => {
    const found = troubles({ ...UP, ...change });
    assert.equal(found.length, words.length);
    found.forEach(({ what, means, todo }, at) => {
      assert.ok(what.includes(words[at]), what);
      assert.ok(means && todo);
    });
  });
}

test("a server that does not answer is the only trouble", () => {
  assert.deepEqual(troubles(null).map(({ what }) => what), ["The server does not answer."]);
});

test("a worker that computes nothing is not live", () => {
  const live = { connected: true, judgment: 312, age: 5, status: "open" };
  assert.match(liveWords({ ...live, stalled: false }), /^live ·/);
  const still = { ...live, stalled: true, applied: 300 };
  assert.equal(liveWords(still), "standing still at log entry 300");
  assert.equal(liveWords({ ...still, silent: 40 }), "standing still at log entry 300 · worker silent for 40 s");
  assert.equal(
    noticeWords({ ...UP, stalled: true, head: 312, applied: 300 }),
    "The figures lack the latest 12 log entries: the worker has computed nothing since.",
  );
  assert.equal(noticeWords(UP), "");
  assert.equal(noticeWords({ ...UP, worker: "down", worker_heard: 20 }), "The worker has not reported for 20 s.");
});

test("a page without a stream tries again", () => {
  const live = { connected: false, stalled: false, judgment: 0, age: null, status: "open" };
  assert.equal(liveWords(live), "not live, trying again · no judgment yet");
});

test("the age of queues is told as far as it is known", () => {
  const known = { queue_age_median: 1, queue_age_high: 4, served: 9, aged: 9 };
  assert.equal(servingWords(known), "When queues served, they lacked 1 judgment (median), 4 at the 95th percentile.");
  const unknown = { ...known, queue_age_median: null, queue_age_high: null, aged: 3 };
  assert.equal(servingWords(unknown), "Judgments that queues lacked: –, measured for only 3 of 9 documents.");
  assert.equal(servingWords(Object.fromEntries(Object.keys(known).map((name) => [name, null]))), "");
});
