// The documents at hand: what follows each grade of the one on screen, a reserve for when the network is
// away, and those seen lately. The server keeps them for this assessor meanwhile.

import { Refusal } from "./api.js";
import { fetchAhead } from "../screen/reading/kinds.js";
/** @import { Store } from "./store.js" */

const REMEMBERED = 40;
const AGAIN_AFTER = [500, 1500, 4000]; // the exact successors are worked out a moment after the document opens

export class Ahead extends /** @type {Announcer<AheadNews>} */ (EventTarget) {
  /** @type {Api} */
  #api;
  /** @type {Store} */
  #store;
  /** @type {string} */
  #topic;
  /** @type {string} */
  #place;
  /** @type {Map<string, ShownDocument>} */
  #documents = new Map(); // by docno
  /** @type {string[]} */
  #seen = []; // docnos, the latest last
  /** @type {AheadSnapshot["after"]} */
  #after = { docno: "", next: {} };
  /** @type {string[]} */
  #reserve = [];
  #asking = false;
  /** @type {{ docno: string, round: number } | null} */
  #wanted = null; // {docno, round}
  #timer = 0;
  // How much of a run's score in the topic is open yet, from 0 to 1, once it was wanted.
  /** @type {number | null} */
  worth = null;
  wantsWorth = () => false;

  /** @param {{ api: Api, store: Store, topic: string, place: string }} parts */
  static async open({ api, store, topic, place }) {
    const ahead = new Ahead();
    ahead.#api = api;
    ahead.#store = store;
    ahead.#topic = topic;
    ahead.#place = place;
    for (const { value } of await store.all("documents", `${place} `)) ahead.#documents.set(value.docno, value);
    return ahead;
  }

  get snapshot() {
    return { seen: this.#seen, after: this.#after, reserve: this.#reserve };
  }

  /** @param {AheadSnapshot} snapshot */
  restore({ seen, after, reserve }) {
    this.#seen = seen;
    this.#after = after;
    this.#reserve = reserve;
  }

  /** @param {string | null} docno */
  document(docno) {
    return this.#documents.get(docno ?? "") ?? null;
  }

  // In which order documents should follow this one, as far as is known here.
  /** @param {string} docno @param {string} outcome */
  following(docno, outcome) {
    const exact = this.#after.docno === docno ? this.#after.next[outcome] : null;
    return [exact, ...this.#reserve].map((each) => this.document(each)).filter((each) => each !== null);
  }

  /** @param {ShownDocument} document */
  remember(document) {
    const { docno } = document;
    this.#keep(document);
    this.#seen = [...this.#seen.filter((other) => other !== docno), docno].slice(-REMEMBERED);
  }

  // One question at a time; of several that wait, the last is asked.
  /** @param {string} docno */
  async ask(docno, round = 0) {
    clearTimeout(this.#timer);
    this.#wanted = { docno, round };
    if (this.#asking) return;
    this.#asking = true;
    while (this.#wanted) {
      const wanted = this.#wanted;
      this.#wanted = null;
      await this.#askOnce(wanted);
    }
    this.#asking = false;
  }

  /** @param {{ docno: string, round: number }} wanted */
  async #askOnce({ docno, round }) {
    const have = this.atHand;
    try {
      this.dispatchEvent(new Event("asked"));
      const query = [["topic", this.#topic], ["docno", docno], ...have.map((each) => ["have", each])];
      if (this.wantsWorth()) query.push(["worth", "true"]);
      this.#take(await this.#api.get("ahead/", query), docno, round);
    } catch (error) {
      // What is at hand stays at hand. After most refusals the next act asks again.
      if (!(error instanceof Refusal)) this.dispatchEvent(new CustomEvent("unreached", { detail: error }));
      else if (error.code === "busy") this.#askLater(docno, round);
    }
  }

  /** @param {AheadAnswer} answer @param {string} docno @param {number} round */
  #take(answer, docno, round) {
    for (const document of answer.documents) this.#keep(document);
    this.worth = answer.worth ?? this.worth;
    this.#after = { docno, next: answer.next };
    this.#reserve = answer.reserve;
    this.#prune();
    this.dispatchEvent(new CustomEvent("answer", { detail: answer }));
    if (answer.more) this.#wanted ??= { docno, round };
    else if (!answer.exact) this.#askLater(docno, round);
  }

  // Not if another question waits: it is about the document that has come on the screen meanwhile, and an answer
  // about the one before would take the place of its answer.
  /** @param {string} docno @param {number} round */
  #askLater(docno, round) {
    if (this.#wanted || round === AGAIN_AFTER.length) return;
    this.#timer = setTimeout(() => this.ask(docno, round + 1), AGAIN_AFTER[round]);
  }

  // The docnos of those whose texts are here.
  get atHand() {
    return this.#following().filter((each) => this.#documents.has(each));
  }

  #following() {
    const known = new Set([...Object.values(this.#after.next), ...this.#reserve]);
    return [...known].filter((each) => each !== null);
  }

  /** @param {ShownDocument} document */
  #keep(document) {
    const known = this.#documents.get(document.docno);
    if (known && known.document_revision === document.document_revision) return;
    this.#documents.set(document.docno, document);
    this.#store.put("documents", this.#key(document.docno), document);
    fetchAhead(document);
  }

  // Its text is out of date: the server sends the present one.
  /** @param {string} docno */
  forget(docno) {
    this.#documents.delete(docno);
    this.#store.remove("documents", this.#key(docno));
  }

  #prune() {
    const wanted = new Set([...this.#following(), ...this.#seen]);
    for (const docno of this.#documents.keys()) {
      if (wanted.has(docno)) continue;
      this.#documents.delete(docno);
      this.#store.remove("documents", this.#key(docno));
    }
  }

  /** @param {string} docno */
  #key(docno) {
    return `${this.#place} ${docno}`;
  }
}
