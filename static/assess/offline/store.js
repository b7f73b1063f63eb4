// What outlives the page, in the browser's own database: acts on their way, refusals, documents at hand and
// the screen as it was. Where the browser refuses one, everything lasts as long as the page.

const NAME = "judging";
const NUMBERED = ["acts", "refused"]; // an earlier version's keys count up, today's say the order of making, too
const NAMED = ["documents", "screens"];
const PATIENCE = 10_000;

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    setTimeout(() => reject(new Error("the database did not open")), PATIENCE);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => resolve(request.result);
    request.onupgradeneeded = () => {
      for (const table of NUMBERED) request.result.createObjectStore(table, { autoIncrement: true });
      for (const table of NAMED) request.result.createObjectStore(table);
    };
  });
}

export class Store {
  /** @type {IDBDatabase | null} */
  #db = null;

  static async open() {
    const store = new Store();
    try {
      const db = await open();
      db.onversionchange = () => db.close();
      store.#db = db;
    } catch {
      // forbidden: `kept` says so
    }
    return store;
  }

  get kept() {
    return this.#db !== null;
  }

  // Resolves to the key, or to null if it could not be kept.
  /** @param {string} table @param {IDBValidKey} key @param {unknown} value */
  put(table, key, value) {
    return this.#attempt(table, "readwrite", (rows) => rows.put(value, key));
  }

  /** @param {string} table @param {IDBValidKey} key */
  remove(table, key) {
    return this.#attempt(table, "readwrite", (rows) => rows.delete(key));
  }

  /** @param {string} table */
  clear(table) {
    return this.#attempt(table, "readwrite", (rows) => rows.clear());
  }

  /** @param {string} table @param {IDBValidKey} key @returns {Promise<any>} */
  get(table, key) {
    return this.#attempt(table, "readonly", (rows) => rows.get(key));
  }

  // In the order of their keys; of named rows, those whose key begins like this.
  /** @param {string} table @param {string} [prefix] @returns {Promise<{ key: any, value: any }[]>} */
  async all(table, prefix) {
    const range = prefix === undefined ? null : IDBKeyRange.bound(prefix, `${prefix}\uffff`);
    const [keys, values] = await Promise.all([
      this.#attempt(table, "readonly", (rows) => rows.getAllKeys(range)),
      this.#attempt(table, "readonly", (rows) => rows.getAll(range)),
    ]);
    return (values ?? []).map((value, index) => ({ key: keys?.[index], value }));
  }

  /**
   * @template Found
   * @param {string} table
   * @param {IDBTransactionMode} mode
   * @param {(rows: IDBObjectStore) => IDBRequest<Found>} work
   * @returns {Promise<Found | null>}
   */
  #attempt(table, mode, work) {
    const db = this.#db;
    if (!db) return Promise.resolve(null);
    return new Promise((resolve) => {
      try {
        const transaction = db.transaction(table, mode, { durability: "strict" });
        const request = work(transaction.objectStore(table));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => resolve(null); // no room left
      } catch {
        resolve(null); // closed
      }
    });
  }
}
