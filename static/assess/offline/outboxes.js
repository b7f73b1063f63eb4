// Several outboxes as one, for the part of the screen that says what is saved.
/** @import { Outbox } from "./outbox.js" */
export class Outboxes extends EventTarget {
  #all;

  /** @param {...Outbox} outboxes */
  constructor(...outboxes) {
    super();
    this.#all = outboxes;
    for (const outbox of outboxes) outbox.addEventListener("change", () => this.dispatchEvent(new Event("change")));
  }

  get waiting() {
    return this.#all.reduce((sum, outbox) => sum + outbox.waiting, 0);
  }

  get refused() {
    return this.#all.flatMap((outbox) => outbox.refused);
  }

  get trouble() {
    return this.#all.map((outbox) => outbox.trouble).find(Boolean) ?? null;
  }

  get kept() {
    return this.#all.every((outbox) => outbox.kept);
  }

  /** @param {OutboxEntry} entry */
  dismiss(entry) {
    for (const outbox of this.#all) if (outbox.refused.includes(entry)) outbox.dismiss(entry);
  }

  retry() {
    for (const outbox of this.#all) outbox.retry();
  }
}
