import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Refusal, SignedOut, Unreachable } from "../../static/assess/offline/api.js";
import { Outbox } from "../../static/assess/offline/outbox.js";
import { Patience } from "../../static/assess/offline/patience.js";
import { MemoryStore, PlainStorage, QuietPage } from "./pages/pages.js";

const OWNER = "7:desk";

beforeEach(() => {
  globalThis.localStorage = new PlainStorage();
  // Nothing is tried again by itself.
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.UTC(2031, 4, 4) });
});

/** A server that takes what is posted, or fails as a test wishes; it stores an act's id once. */
class Server {
  stored = [];
  answers = []; // errors to throw, the next first

  async post(path, body) {
    const trouble = this.answers.shift();
    if (trouble) throw trouble;
    if (!this.stored.includes(body.id)) this.stored.push(body.id);
    return { path };
  }
}

/** A visit of a page: its outbox, and its network's coming back. */
async function visit({ server = new Server(), store = new MemoryStore() } = {}) {
  const page = new QuietPage();
  const outbox = await Outbox.open(server, store, OWNER, new Patience(page));
  const heard = [];
  for (const type of ["reply", "refusal"]) outbox.addEventListener(type, ({ detail }) => heard.push([type, detail.act.body.id]));
  return { server, store, outbox, heard, online: () => page.dispatchEvent(new Event("online")) };
}

/** A network that is away: the next so many calls fail. */
const away = (count) => Array.from({ length: count }, () => new Unreachable("away"));

const event = (outbox, type) => new Promise((resolve) => {
  outbox.addEventListener(type, resolve, { once: true });
});

async function until(holds) {
  for (let turn = 0; turn < 1000 && !holds(); turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  assert.ok(holds());
}

async function sent(outbox) {
  await until(() => !outbox.waiting);
}

const left = () => Object.keys(localStorage).filter((name) => /^(outbox|refused)/.test(name)).length;
const rows = async (store, table) => (await store.all(table)).length;

test("acts are sent in order, and nothing of them is left", async () => {
  const { server, store, outbox, heard } = await visit();
  for (const id of ["a", "b", "c"]) outbox.put("judgments/", { id });
  await sent(outbox);
  assert.deepEqual(server.stored, ["a", "b", "c"]);
  assert.deepEqual(heard, ["a", "b", "c"].map((id) => ["reply", id]));
  await until(() => left() === 0);
  assert.equal(await rows(store, "acts"), 0);
});

test("without a network acts wait, and are sent when it comes back", async () => {
  const { server, outbox, online } = await visit();
  server.answers = away(1);
  outbox.put("judgments/", { id: "a" });
  await event(outbox, "held");
  outbox.put("judgments/", { id: "b" });
  assert.equal(outbox.trouble, "offline");
  assert.deepEqual(outbox.acts.map(({ body }) => body.id), ["a", "b"]);
  online();
  await sent(outbox);
  assert.deepEqual(server.stored, ["a", "b"]);
  assert.equal(outbox.trouble, null);
});

test("a later visit sends what an earlier one left, before its own", async () => {
  const first = await visit();
  first.server.answers = away(9);
  for (const id of ["a", "b"]) first.outbox.put("judgments/", { id });
  await event(first.outbox, "held");
  const second = await visit({ store: first.store });
  second.outbox.put("judgments/", { id: "c" });
  await sent(second.outbox);
  assert.deepEqual(second.server.stored, ["a", "b", "c"]);
});

test("the order of making outlives a clock that is put back by years", async () => {
  const first = await visit();
  first.server.answers = away(9);
  first.outbox.put("judgments/", { id: "a" });
  await event(first.outbox, "held");
  mock.timers.setTime(Date.UTC(2019, 0, 1));
  const second = await visit({ store: first.store });
  second.server.answers = away(9);
  second.outbox.put("judgments/", { id: "b" });
  await event(second.outbox, "held");
  const third = await visit({ store: first.store });
  third.outbox.run();
  await sent(third.outbox);
  assert.deepEqual(third.server.stored, ["a", "b"]);
});

test("a database that is full for a while does not change the order", async () => {
  const first = await visit();
  first.server.answers = away(9);
  first.store.full = true;
  first.outbox.put("judgments/", { id: "a" });
  first.store.full = false;
  first.outbox.put("judgments/", { id: "b" });
  await event(first.outbox, "held");
  assert.equal(first.outbox.kept, true);
  const second = await visit({ store: first.store });
  second.outbox.run();
  await sent(second.outbox);
  assert.deepEqual(second.server.stored, ["a", "b"]);
  await until(() => left() === 0);
});

test("without any storage acts are sent, and the page says that it keeps nothing", async () => {
  globalThis.localStorage = undefined;
  const store = Object.assign(new MemoryStore(), { kept: false, full: true });
  const { server, outbox } = await visit({ store });
  assert.equal(outbox.kept, false);
  outbox.put("judgments/", { id: "a" });
  await sent(outbox);
  assert.deepEqual(server.stored, ["a"]);
});

test("rows that cannot be read, and those of others, are passed over", async () => {
  for (const [name, row] of Object.entries({ 1: "{", 2: "null", 3: "17" })) localStorage.setItem(`outbox:${OWNER}:${name}`, row);
  localStorage.setItem("outbox:8:desk:4", JSON.stringify({ path: "judgments/", body: { id: "x" } }));
  const { server, outbox } = await visit();
  outbox.put("judgments/", { id: "a" });
  await sent(outbox);
  assert.deepEqual(server.stored, ["a"]);
});

test("a refusal outlives the page until it is dismissed", async () => {
  const first = await visit();
  first.server.answers = [new Refusal(403, { code: "no", detail: "not yours" })];
  first.outbox.put("judgments/", { id: "a" });
  await event(first.outbox, "refusal");
  await until(() => left() === 0);
  const second = await visit({ store: first.store });
  assert.equal(second.outbox.waiting, 0);
  const [refused] = second.outbox.refused;
  assert.deepEqual([refused.value.body.id, refused.value.why], ["a", "not yours"]);
  second.outbox.dismiss(refused);
  await until(() => left() === 0);
  const third = await visit({ store: first.store });
  assert.deepEqual([third.outbox.waiting, third.outbox.refused], [0, []]);
});

test("a refused act that is still there is not sent again", async () => {
  const first = await visit();
  first.server.answers = away(9);
  first.outbox.put("judgments/", { id: "a" });
  await event(first.outbox, "held");
  // As a page leaves it that ends between keeping a refusal and forgetting the act.
  for (const { key, value } of await first.store.all("acts")) await first.store.put("refused", key, { ...value, why: "no" });
  const second = await visit({ store: first.store });
  second.outbox.run();
  assert.deepEqual([second.outbox.waiting, second.outbox.refused.length], [0, 1]);
  assert.deepEqual(second.server.stored, []);
  await until(() => left() === 0);
  assert.equal(await rows(first.store, "acts"), 0);
});

for (const code of ["no_claim", "nothing_to_undo"]) {
  test(`an act that holds already is done: ${code}`, async () => {
    const { server, outbox, heard } = await visit();
    server.answers = [new Refusal(409, { code })];
    outbox.put("judgments/", { id: "a" });
    await sent(outbox);
    assert.deepEqual([heard, outbox.refused], [[["reply", "a"]], []]);
  });
}

test("an act waits for what an organiser or the assessor may lift", async () => {
  const { server, outbox, online } = await visit();
  server.answers = [new Refusal(403, { code: "campaign_not_open", detail: "paused" }), new SignedOut()];
  outbox.put("judgments/", { id: "a" });
  await event(outbox, "held");
  assert.equal(outbox.trouble, "paused");
  online();
  await event(outbox, "held");
  assert.equal(outbox.trouble, "signed-out");
  outbox.retry();
  await until(() => !outbox.waiting || outbox.retry());
  assert.deepEqual(server.stored, ["a"]);
});
