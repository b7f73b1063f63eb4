// The examples and their documents, kept in the browser for reading without a network.
import { fetchAhead } from "./kinds.js";
/** @import { Store } from "../../offline/store.js" */

const MOST = 1000; // the list's longest page
const KEPT = 20; // documents
const LONGEST = 200_000; // characters of a document that is kept

export class ExampleTexts {
  #api;
  #store;
  #place;
  /** @type {Map<number, ShownDocument>} */
  #documents = new Map(); // fetched since the page was loaded, by id
  #fetching = false;

  /** @param {{ api: Api, store: Store | null, place: string }} parts */
  constructor({ api, store, place }) {
    this.#api = api;
    this.#store = store;
    this.#place = `examples:${place}`;
  }

  // The rows, in the organisers' order; null if the server cannot be reached and none are kept.
  /** @returns {Promise<ExampleRow[] | null>} */
  async list() {
    try {
      const { results } = await this.#api.get("examples/", { limit: MOST });
      this.#store?.put("documents", this.#place, results);
      return results;
    } catch {
      return (await this.#store?.get("documents", this.#place)) ?? null;
    }
  }

  // A document with all that is needed to show it, or null.
  /** @param {number} id @returns {Promise<ShownDocument | null>} */
  async document(id) {
    const known = this.#documents.get(id);
    if (known) return known;
    try {
      return await this.#fetch(id);
    } catch {
      return (await this.#store?.get("documents", this.#key(id))) ?? null;
    }
  }

  // One after the other, so that judging goes first. After a failure, the next opening of the panel goes on.
  /** @param {ExampleRow[]} rows */
  async fetchAhead(rows) {
    if (this.#fetching || !this.#store?.kept) return;
    this.#fetching = true;
    try {
      for (const { id } of rows.slice(0, KEPT)) {
        if (this.#documents.has(id)) continue;
        fetchAhead(await this.#fetch(id));
      }
    } catch {
      // what is not here yet is fetched when it is opened
    }
    this.#fetching = false;
  }

  /** @param {number} id @returns {Promise<ShownDocument>} */
  async #fetch(id) {
    const { document: shown } = await this.#api.get(`examples/${id}/`, {});
    this.#documents.set(id, shown);
    if ((shown.rendered ?? "").length + shown.body.length <= LONGEST) {
      this.#store?.put("documents", this.#key(id), shown);
    }
    return shown;
  }

  /** @param {number} id */
  #key(id) {
    return `${this.#place} ${id}`;
  }
}
