// Where the outbox's rows lie until they are let go. The database takes a moment to keep a row, in which the
// page may end; the local storage takes none, but is small. So a row goes into both, and leaves the small one
// once it is safe in the other. It has one key in both, which also says its place in the order: whoever finds
// it twice, or sends it from two tabs, has one act.
import { uuid } from "../screen/uuid.js";

const PREFIX = { acts: "outbox", refused: "refused" };

export class Keeping {
  #store;
  #owner;
  #visit = "";
  #count = 0;

  constructor(store, owner) {
    this.#store = store;
    this.#owner = owner;
    this.countFrom([]);
  }

  get possible() {
    return this.#store.kept || (write("outbox", "") && attempt(() => localStorage.removeItem("outbox")));
  }

  // After what is there, whatever the clock says.
  countFrom(entries) {
    const times = entries.map(({ key }) => Number.parseInt(String(key).split(":").at(-2), 10) || 0);
    const now = Math.max(Date.now(), ...times.map((time) => time + 1));
    this.#visit = `${now}-${uuid().slice(0, 8)}`;
  }

  // What earlier pages left, in the order in which it was made.
  async left(table) {
    const rows = new Map();
    for (const { key, value } of await this.#store.all(table)) if (value.owner === this.#owner) rows.set(key, value);
    for (const [key, value] of noted(`${PREFIX[table]}:`, `${this.#owner}:`)) rows.set(key, { owner: this.#owner, ...value });
    return [...rows].map(([key, value]) => ({ key, value, kept: Promise.resolve(true) })).sort(inOrder);
  }

  add(path, body) {
    this.#count += 1;
    const key = `${this.#owner}:${this.#visit}:${String(this.#count).padStart(6, "0")}`;
    return this.#keep("acts", key, { owner: this.#owner, path, body });
  }

  // The act goes when the refusal is safe: until then it would only be refused again.
  refuse(act, why) {
    const entry = this.#keep("refused", act.key, { ...act.value, why });
    entry.kept.then((kept) => kept && this.forget("acts", act));
    return entry;
  }

  async forget(table, { key, kept }) {
    await kept;
    unwrite(table, key);
    this.#store.remove(table, key);
  }

  #keep(table, key, value) {
    const written = write(`${PREFIX[table]}:${key}`, JSON.stringify(value));
    const stored = this.#store.put(table, key, value).then((safe) => {
      if (safe !== null) unwrite(table, key);
      return safe !== null || written;
    });
    return { key, value, kept: stored };
  }
}

function write(name, value) {
  return attempt(() => localStorage.setItem(name, value));
}

function unwrite(table, key) {
  attempt(() => localStorage.removeItem(`${PREFIX[table]}:${key}`));
}

// Rows of the local storage by their keys. One that another tab has just let go, or that is no row of ours, is none.
function noted(prefix, owner) {
  const rows = [];
  attempt(() => {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(prefix + owner)) continue;
      attempt(() => rows.push([name.slice(prefix.length), JSON.parse(localStorage.getItem(name))]));
    }
  });
  return rows.filter(([, value]) => value?.body);
}

// Whether it worked: a storage that is full or forbidden is no reason to stop.
function attempt(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

// Keys that are numbers are an earlier version's.
function inOrder({ key: one }, { key: other }) {
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return one < other ? -1 : 1;
}
