// What a module of static/ may ask of its page, where there is none.

/** A window that hears events, and whose document is shown or hidden. */
export class QuietPage extends EventTarget {
  document = Object.assign(new EventTarget(), { hidden: false });

  /** @param {boolean} hidden */
  turn(hidden) {
    this.document.hidden = hidden;
    this.document.dispatchEvent(new Event("visibilitychange"));
  }
}

/** A storage as browsers have it: its rows are its own enumerable properties. */
export class PlainStorage {
  /** @param {string} name */
  getItem(name) {
    return Object.hasOwn(this, name) ? /** @type {Record<string, any>} */ (this)[name] : null;
  }

  /** @param {string} name @param {string} value */
  setItem(name, value) {
    Object.assign(this, { [name]: value });
  }

  /** @param {string} name */
  removeItem(name) {
    Reflect.deleteProperty(this, name);
  }
}

/** The tables of static/assess/offline/store.js, kept in memory; one that is full keeps nothing more. */
export class MemoryStore {
  kept = true;
  full = false;
  /** @type {Map<string, Map<any, any>>} */
  #tables = new Map();

  /** @param {string} table */
  #rows(table) {
    if (!this.#tables.has(table)) this.#tables.set(table, new Map());
    return /** @type {Map<any, any>} */ (this.#tables.get(table));
  }

  /** @param {string} table @param {any} key @param {any} value */
  async put(table, key, value) {
    if (this.full) return null;
    this.#rows(table).set(key, structuredClone(value));
    return key;
  }

  /** @param {string} table @param {any} key */
  async remove(table, key) {
    this.#rows(table).delete(key);
  }

  /** @param {string} table */
  async all(table) {
    return [...this.#rows(table)].map(([key, value]) => ({ key, value }));
  }
}
