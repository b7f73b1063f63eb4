// How long the assessor has really looked at a document: time in a hidden tab, and whatever goes beyond a
// minute without a sign of life, does not count.

const IDLE = 60_000;
export const SIGNS = ["keydown", "pointerdown", "pointermove", "scroll", "wheel", "touchstart"];

export class Clock {
  #active = 0;
  /** @type {number | null} */
  #since = null; // the last sign of life, while the tab is visible
  #now;
  #page;

  // `page`: the window whose signs count.
  /** @param {() => number} now @param {WatchedPage} page */
  constructor(now = () => performance.now(), page = globalThis) {
    this.#now = now;
    this.#page = page;
    for (const sign of SIGNS) page.addEventListener(sign, () => this.#sign(), { passive: true, capture: true });
    page.document.addEventListener("visibilitychange", () => (page.document.hidden ? this.#pause() : this.#resume()));
  }

  start() {
    this.#active = 0;
    this.#since = this.#page.document.hidden ? null : this.#now();
  }

  read() {
    this.#settle();
    return Math.round(this.#active);
  }

  // Whether the assessor is there at all.
  get awake() {
    return this.#since !== null && this.#now() - this.#since < IDLE;
  }

  #settle() {
    if (this.#since === null) return;
    const now = this.#now();
    this.#active += Math.min(now - this.#since, IDLE);
    this.#since = now;
  }

  #sign() {
    if (this.#since !== null) this.#settle();
  }

  #pause() {
    this.#settle();
    this.#since = null;
  }

  #resume() {
    this.#since = this.#now();
  }
}
