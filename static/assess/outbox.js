// Acts on their way to the server: kept in the browser first, sent one by one in the order they were
// made, and let go only when the server has answered.
import { Refusal, SignedOut } from "./api.js";
import { Patience } from "./patience.js";
import { Shelf } from "./shelf.js";

// Refusals after which there is nothing left to do, because what was wanted holds already.
const SETTLED = new Set(["no_claim", "nothing_to_undo"]);
// Refusals that the organiser may lift: the act waits for it.
const PASSING = new Set(["campaign_not_open"]);

export class Outbox extends EventTarget {
  #api;
  #shelf;
  #refusals;
  #queue = [];
  #running = false;
  #patience = new Patience();
  // Why the first waiting act is not through: null, "offline", "signed-out", or the server's words.
  trouble = null;
  kept = true;

  constructor(api, name) {
    super();
    this.#api = api;
    this.#shelf = new Shelf(`outbox:${name}`);
    this.#refusals = new Shelf(`refused:${name}`);
    this.#queue = this.#shelf.all();
  }

  get waiting() {
    return this.#queue.length;
  }

  get acts() {
    return this.#queue.map(({ value }) => value);
  }

  get refused() {
    return this.#refusals.all();
  }

  put(path, body) {
    const { key, value, kept } = this.#shelf.put({ path, body });
    this.kept = kept;
    this.#queue.push({ key, value });
    this.#tell("change");
    this.run();
  }

  dismiss(key) {
    this.#refusals.remove(key);
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
    this.#refusals.put({ ...entry.value, why: error.message });
    this.#letGo(entry);
    this.#tell("refusal", { act: entry.value, why: error.message });
  }

  #letGo(entry) {
    this.#shelf.remove(entry.key);
    this.#queue.shift();
    this.#patience.reset();
    this.trouble = null;
    this.#tell("change");
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
