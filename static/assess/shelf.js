// Entries that outlive the page, each under a key of its own: two tabs that add and remove at the same
// time never overwrite each other's.

export class Shelf {
  #prefix;
  #memory = new Map();
  #count = 0;

  constructor(prefix) {
    this.#prefix = `${prefix}:`;
  }

  // Keys sort by time, then by the order within this page.
  put(value) {
    this.#count += 1;
    const key = `${this.#prefix}${Date.now()}:${String(this.#count).padStart(6, "0")}`;
    this.#memory.set(key, value);
    try {
      localStorage.setItem(key, JSON.stringify(value));
      return { key, value, kept: true };
    } catch {
      return { key, value, kept: false }; // full or forbidden: it lives as long as the page
    }
  }

  remove(key) {
    this.#memory.delete(key);
    try {
      localStorage.removeItem(key);
    } catch {
      // nothing was stored
    }
  }

  all() {
    const found = new Map(this.#memory);
    try {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith(this.#prefix)) found.set(key, JSON.parse(localStorage.getItem(key)));
      }
    } catch {
      // only what this page put
    }
    return [...found].map(([key, value]) => ({ key, value })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}
