// Waiting before another try: longer each time, cut short when the network comes back.

const SHORTEST = 1000;
const LONGEST = 30_000;

export class Patience {
  #delay = SHORTEST;
  /** @type {(() => void) | null} */
  #wake = null;

  // `page`: the window that hears when the network comes back, or somebody looks.
  /** @param {WatchedPage} page */
  constructor(page = globalThis) {
    page.addEventListener("online", () => this.wake());
    page.document.addEventListener("visibilitychange", () => {
      if (!page.document.hidden) this.wake();
    });
  }

  reset() {
    this.#delay = SHORTEST;
  }

  wake() {
    this.#wake?.();
  }

  async wait() {
    await /** @type {Promise<void>} */ (new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#delay);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    }));
    this.#wake = null;
    this.#delay = Math.min(this.#delay * 2, LONGEST);
  }
}
