// Acts on their way to the server: kept in the browser first, sent one by one in the order they were
// made, and let go only when the server has answered.
import { Refusal, SignedOut } from "./api.js";
import { Keeping } from "./keeping.js";
import { Patience } from "./patience.js";

// Refusals after which there is nothing left to do, because what was wanted holds already.
const SETTLED = new Set(["no_claim", "nothing_to_undo"]);
// Refusals that the organiser may lift: the act waits for it.
const PASSING = new Set(["campaign_not_open", "training_first", "development_first"]);

export class Outbox extends EventTarget {
  #api;
  #keeping;
  #queue = [];
  #refused = [];
  #running = false;
  #patience = new Patience();
  // Why the first waiting act is not through: null, "offline", "signed-out", or the server's words.
  trouble = null;
  kept = true;

  static async open(api, store, owner) {
    const outbox = new Outbox();
    outbox.#api = api;
    outbox.#keeping = new Keeping(store, owner);
    outbox.kept = outbox.#keeping.possible;
    outbox.#queue = await outbox.#keeping.left("acts");
    outbox.#refused = await outbox.#keeping.left("refused");
    outbox.#keeping.countFrom([...outbox.#queue, ...outbox.#refused]);
    return outbox;
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
    const entry = this.#keeping.add(path, body);
    entry.kept.then((kept) => this.#isKept(kept));
    this.#queue.push(entry);
    this.#tell("change");
    this.run();
  }

  #isKept(kept) {
    if (this.kept === kept) return;
    this.kept = kept;
    this.#tell("change");
  }

  dismiss(entry) {
    this.#refused = this.#refused.filter((other) => other !== entry);
    this.#keeping.forget("refused", entry);
    this.#keeping.forget("acts", entry);
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

  #done(entry, reply) {
    this.#keeping.forget("acts", entry);
    this.#goOn();
    this.#tell("reply", { act: entry.value, reply });
  }

  // An earlier page may have ended between keeping the refusal and forgetting the act.
  #refuse(entry, error) {
    const others = this.#refused.filter(({ key }) => key !== entry.key);
    this.#refused = [...others, this.#keeping.refuse(entry, error.message)];
    this.#goOn();
    this.#tell("refusal", { act: entry.value, why: error.message });
  }

  #goOn() {
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
