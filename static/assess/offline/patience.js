// Waiting before another try: longer each time, cut short when the network comes back.

const SHORTEST = 1000;
const LONGEST = 30_000;

export class Patience {
  #delay = SHORTEST;
  #wake = null;

  constructor() {
    addEventListener("online", () => this.wake());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.wake();
    });
  }

  reset() {
    this.#delay = SHORTEST;
  }

  wake() {
    this.#wake?.();
  }

  async wait() {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#delay);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
    this.#delay = Math.min(this.#delay * 2, LONGEST);
  }
}
