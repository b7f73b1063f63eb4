// Acts on their way to the server: kept in the browser first, sent one by one in the order they were
// made, and let go only when the server has answered.
import { Refusal, SignedOut } from "./api.js";
import { Patience } from "./patience.js";
import { uuid } from "../../site/elements.js";

// Refusals after which there is nothing left to do, because what was wanted holds already.
const SETTLED = new Set(["no_claim", "nothing_to_undo"]);
// Refusals that an organiser may lift, or the assessor on another page: the act waits for it.
const PASSING = new Set([
  "campaign_not_open", "training_first", "development_first", "temporary_password", "second_factor_needed",
]);
// Where a row lies in the local storage.
/** @type {Record<string, string>} */
const PREFIX = { acts: "outbox", refused: "refused" };

export class Outbox extends /** @type {Announcer<OutboxNews>} */ (EventTarget) {
  /** @type {Pick<Api, "post">} */
  #api;
  /** @type {Rows} */
  #rows;
  /** @type {OutboxEntry[]} */
  #queue = [];
  /** @type {OutboxEntry[]} */
  #refused = [];
  #running = false;
  /** @type {Patience} */
  #patience;
  // Why the first waiting act is not through: null, "offline", "signed-out", or the server's words.
  /** @type {string | null} */
  trouble = null;
  kept = true;

  /** @param {Pick<Api, "post">} api @param {Tables} store @param {string} owner @param {Patience} [patience] */
  static async open(api, store, owner, patience = new Patience()) {
    const outbox = new Outbox();
    outbox.#api = api;
    outbox.#patience = patience;
    outbox.#rows = new Rows(store, owner);
    outbox.kept = outbox.#rows.possible;
    const acts = await outbox.#rows.left("acts");
    outbox.#refused = await outbox.#rows.left("refused");
    outbox.#rows.countFrom([...acts, ...outbox.#refused]);
    outbox.#queue = acts.filter((act) => !outbox.#forgetRefused(act));
    return outbox;
  }

  // An earlier page may have ended between keeping a refusal and forgetting its act, which must not be sent
  // again: the page says that it was refused.
  /** @param {OutboxEntry} act */
  #forgetRefused(act) {
    const known = this.#refused.some(({ key }) => key === act.key);
    if (known) this.#rows.forget("acts", act);
    return known;
  }

  get waiting() {
    return this.#queue.length;
  }

  get acts() {
    return this.#queue.map(({ value }) => value);
  }

  get refused() {
    return this.#refused;
  }

  /** @param {string} path @param {ActBody} body */
  put(path, body) {
    const entry = this.#rows.add(path, body);
    entry.kept.then((kept) => this.#isKept(kept));
    this.#queue.push(entry);
    this.#tell("change");
    this.run();
  }

  /** @param {boolean} kept */
  #isKept(kept) {
    if (this.kept === kept) return;
    this.kept = kept;
    this.#tell("change");
  }

  /** @param {OutboxEntry} entry */
  dismiss(entry) {
    this.#refused = this.#refused.filter((other) => other !== entry);
    this.#rows.forget("refused", entry);
    this.#rows.forget("acts", entry);
    this.#tell("change");
  }

  retry() {
    this.#patience.wake();
  }

  async run() {
    if (this.#running) return;
    this.#running = true;
    while (this.#queue.length) await this.#sendFirst();
    this.#running = false;
  }

  async #sendFirst() {
    const entry = this.#queue[0];
    const { path, body } = entry.value;
    try {
      this.#done(entry, await this.#api.post(path, body));
    } catch (error) {
      if (error instanceof Refusal && SETTLED.has(error.code)) this.#done(entry, null);
      else if (error instanceof Refusal && !PASSING.has(error.code)) this.#refuse(entry, error);
      else await this.#hold(error);
    }
  }

  /** @param {OutboxEntry} entry @param {Reply} reply */
  #done(entry, reply) {
    this.#rows.forget("acts", entry);
    this.#goOn();
    this.#tell("reply", { act: entry.value, reply });
  }

  /** @param {OutboxEntry} entry @param {Refusal} error */
  #refuse(entry, error) {
    this.#refused = [...this.#refused, this.#rows.refuse(entry, error.message)];
    this.#goOn();
    this.#tell("refusal", { act: entry.value, why: error.message, code: error.code });
  }

  #goOn() {
    this.#queue.shift();
    this.#patience.reset();
    this.trouble = null;
    this.#tell("change");
  }

  /** @param {unknown} error */
  async #hold(error) {
    this.trouble = "offline";
    if (error instanceof SignedOut) this.trouble = "signed-out";
    if (error instanceof Refusal) this.trouble = error.message;
    this.#tell("change");
    this.#tell("held");
    await this.#patience.wait();
  }

  /** @param {string} type @param {unknown} [detail] */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

// Where the outbox's rows lie until they are let go. The database takes a moment to keep a row, in which the
// page may end; the local storage takes none, but is small. So a row goes into both, and leaves the small one
// once it is safe in the other. It has one key in both, which also says its place in the order: a reader that finds
// it twice, or sends it from two tabs, has one act.
class Rows {
  #store;
  #owner;
  #visit = "";
  #count = 0;

  /** @param {Tables} store @param {string} owner */
  constructor(store, owner) {
    this.#store = store;
    this.#owner = owner;
    this.countFrom([]);
  }

  get possible() {
    return this.#store.kept || (write("outbox", "") && attempt(() => localStorage.removeItem("outbox")));
  }

  // After what is there, whatever the clock says.
  /** @param {OutboxEntry[]} entries */
  countFrom(entries) {
    const times = entries.map(({ key }) => Number.parseInt(String(key).split(":").at(-2) ?? "", 10) || 0);
    const now = Math.max(Date.now(), ...times.map((time) => time + 1));
    this.#visit = `${now}-${uuid().slice(0, 8)}`;
  }

  // What earlier pages left, in the order in which it was made.
  /** @param {string} table @returns {Promise<OutboxEntry[]>} */
  async left(table) {
    const rows = new Map();
    for (const { key, value } of await this.#store.all(table)) if (value.owner === this.#owner) rows.set(key, value);
    for (const [key, value] of noted(`${PREFIX[table]}:`, `${this.#owner}:`)) rows.set(key, { owner: this.#owner, ...value });
    return [...rows].map(([key, value]) => ({ key, value, kept: Promise.resolve(true) })).sort(inOrder);
  }

  /** @param {string} path @param {ActBody} body */
  add(path, body) {
    this.#count += 1;
    const key = `${this.#owner}:${this.#visit}:${String(this.#count).padStart(6, "0")}`;
    return this.#keep("acts", key, { owner: this.#owner, path, body });
  }

  // The act goes when the refusal is safe: until then it would only be refused again.
  /** @param {OutboxEntry} act @param {string} why */
  refuse(act, why) {
    const entry = this.#keep("refused", act.key, { ...act.value, why });
    entry.kept.then((kept) => {
      if (kept) this.forget("acts", act);
    });
    return entry;
  }

  /** @param {string} table @param {OutboxEntry} entry */
  async forget(table, { key, kept }) {
    await kept;
    unwrite(table, key);
    this.#store.remove(table, key);
  }

  /** @param {string} table @param {OutboxEntry["key"]} key @param {Act} value */
  #keep(table, key, value) {
    const written = write(`${PREFIX[table]}:${key}`, JSON.stringify(value));
    const stored = this.#store.put(table, key, value).then((safe) => {
      if (safe !== null) unwrite(table, key);
      return safe !== null || written;
    });
    return { key, value, kept: stored };
  }
}

/** @param {string} name @param {string} value */
function write(name, value) {
  return attempt(() => localStorage.setItem(name, value));
}

/** @param {string} table @param {OutboxEntry["key"]} key */
function unwrite(table, key) {
  attempt(() => localStorage.removeItem(`${PREFIX[table]}:${key}`));
}

// Rows of the local storage by their keys. One that another tab has just let go, or that is no row of ours, is none.
/** @param {string} prefix @param {string} owner @returns {[string, Act][]} */
function noted(prefix, owner) {
  /** @type {[string, Act][]} */
  const rows = [];
  attempt(() => {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(prefix + owner)) continue;
      attempt(() => rows.push([name.slice(prefix.length), JSON.parse(localStorage.getItem(name) ?? "null")]));
    }
  });
  return rows.filter(([, value]) => value?.body);
}

// Whether it worked: a storage that is full or forbidden is no reason to stop.
/** @param {() => void} work */
function attempt(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

// Keys that are numbers are an earlier version's.
/** @param {OutboxEntry} one @param {OutboxEntry} other */
function inOrder({ key: one }, { key: other }) {
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return one < other ? -1 : 1;
}
