import assert from "node:assert/strict";
import { test } from "node:test";

import { Trajectory } from "../../static/campaigns/lab/trajectory.js";

// Bases of two runs by frame: 0, 0.1, 0.3 and 0.2, 0.2, 0.5; tops fall from 1.
const SENT = {
  runs: ["one", "two"],
  method: "pooling",
  judged: [0, 10, 30],
  relevant: [0, 2, 5],
  handled: [0, 1, 2],
  unit: 10,
  base: [[0, 1, 2], [2, 0, 3]],
  top: [[10, -2, -1], [10, 0, -4]],
};
const near = (found, expected) => {
  assert.equal(found.length, expected.length);
  found.forEach((value, at) => assert.ok(Math.abs(value - expected[at]) < 1e-12, `${value} is not ${expected[at]}`));
};

test("frames are the sums of their changes", () => {
  const trajectory = new Trajectory(SENT);
  assert.equal(trajectory.length, 30);
  assert.equal(trajectory.label, "pooling");
  near([...trajectory.base[2]], [0.3, 0.5]);
  near([...trajectory.top[2]], [0.7, 0.6]);
});

test("the frame of so many judgments is the latest that had them", () => {
  const trajectory = new Trajectory(SENT);
  const frames = [0, 9, 10, 29, 30, 99].map((judged) => trajectory.frameAt(judged));
  assert.deepEqual(frames, [0, 0, 1, 1, 2, 2]);
});

test("between two frames score ranges move evenly", () => {
  const trajectory = new Trajectory(SENT);
  near([...trajectory.rangesAt(5).base], [0.05, 0.2]);
  near([...trajectory.rangesAt(20).top], [0.75, 0.8]);
  for (const judged of [30, 99]) near([...trajectory.rangesAt(judged).base], [0.3, 0.5]);
});

test("frames of one judgment count do not divide by nothing", () => {
  const trajectory = new Trajectory({ ...SENT, judged: [0, 0, 0] });
  near([...trajectory.rangesAt(0).base], [0.3, 0.5]);
});
