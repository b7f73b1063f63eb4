// Acts on their way to the server: kept in the browser first, sent one by one in the order they were
// made, and let go only when the server has answered.
import { Refusal, SignedOut } from "./api.js";
import { Patience } from "./patience.js";

// Refusals after which there is nothing left to do, because what was wanted holds already.
const SETTLED = new Set(["no_claim", "nothing_to_undo"]);
// Refusals that the organiser may lift: the act waits for it.
const PASSING = new Set(["campaign_not_open", "training_first", "development_first"]);

export class Outbox extends EventTarget {
  #api;
  #store;
  #owner;
  #queue = [];
  #refused = [];
  #running = false;
  #patience = new Patience();
  #page = Date.now();
  #count = 0;
  // Why the first waiting act is not through: null, "offline", "signed-out", or the server's words.
  trouble = null;
  kept = true;

  static async open(api, store, owner) {
    const outbox = new Outbox();
    outbox.#api = api;
    outbox.#store = store;
    outbox.#owner = owner;
    outbox.kept = store.kept;
    await outbox.#takeOver();
    const mine = ({ value }) => value.owner === owner;
    outbox.#queue.unshift(...(await store.all("acts")).filter(mine));
    outbox.#refused.unshift(...(await store.all("refused")).filter(mine));
    return outbox;
  }

  // What a page that ended too soon, or an earlier version, left in the local storage. A row is let go
  // there only when it is safe here; sent twice, the server takes it once.
  async #takeOver() {
    for (const [prefix, table, list] of [["outbox", "acts", this.#queue], ["refused", "refused", this.#refused]]) {
      for (const name of namesIn(`${prefix}:${this.#owner}:`)) {
        const value = { owner: this.#owner, ...JSON.parse(localStorage.getItem(name)) };
        if ((await this.#store.add(table, value)) !== null) localStorage.removeItem(name);
        else list.push({ key: null, name, value });
      }
    }
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

  put(path, body) {
    const value = { owner: this.#owner, path, body };
    const entry = { name: this.#note({ path, body }), key: this.#store.add("acts", value), value };
    entry.key.then((key) => key !== null && unwrite(entry.name));
    this.#queue.push(entry);
    this.#tell("change");
    this.run();
  }

  // The database takes a moment, in which a page may end. The local storage takes none.
  #note(act) {
    this.#count += 1;
    const name = `outbox:${this.#owner}:${this.#page}:${String(this.#count).padStart(6, "0")}`;
    try {
      localStorage.setItem(name, JSON.stringify(act));
    } catch {
      // full or forbidden: the database has it in a moment
    }
    return name;
  }

  dismiss(entry) {
    this.#refused = this.#refused.filter((other) => other !== entry);
    this.#forget("refused", entry);
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
    this.kept = (await entry.key) !== null;
    try {
      const reply = await this.#api.post(path, body);
      this.#done(entry, reply);
    } catch (error) {
      if (error instanceof Refusal && SETTLED.has(error.code)) this.#done(entry, null);
      else if (error instanceof Refusal && !PASSING.has(error.code)) this.#refuse(entry, error);
      else await this.#hold(error);
    }
  }

  #done(entry, reply) {
    this.#letGo(entry);
    this.#tell("reply", { act: entry.value, reply });
  }

  #refuse(entry, error) {
    const value = { ...entry.value, why: error.message };
    this.#refused.push({ key: this.#store.add("refused", value), value });
    this.#letGo(entry);
    this.#tell("refusal", { act: entry.value, why: error.message });
  }

  #letGo(entry) {
    this.#forget("acts", entry);
    this.#queue.shift();
    this.#patience.reset();
    this.trouble = null;
    this.#tell("change");
  }

  async #forget(table, entry) {
    const key = await entry.key;
    if (key !== null) this.#store.remove(table, key);
    else if (entry.name) unwrite(entry.name);
  }

  async #hold(error) {
    this.trouble = "offline";
    if (error instanceof SignedOut) this.trouble = "signed-out";
    if (error instanceof Refusal) this.trouble = error.message;
    this.#tell("change");
    this.#tell("held");
    await this.#patience.wait();
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function namesIn(prefix) {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(prefix))
      .sort();
  } catch {
    return []; // forbidden: nothing was left there
  }
}

function unwrite(name) {
  try {
    localStorage.removeItem(name);
  } catch {
    // forbidden: it was never written
  }
}
