// What this assessor's judgments in the topic are: the history, and the counts that follow from it.

export class Tally extends EventTarget {
  #relevant;
  #entries; // by docno, oldest first
  #aside;
  progress;

  constructor({ grades, progress, history, aside }) {
    super();
    this.#relevant = new Set(grades.filter((grade) => grade.relevant).map((grade) => grade.grade));
    this.#entries = new Map([...history].reverse().map((entry) => [entry.docno, entry]));
    this.#aside = new Map(aside.map((entry) => [entry.docno, entry]));
    this.progress = progress;
  }

  get newestFirst() {
    return [...this.#entries.values()].reverse();
  }

  get aside() {
    return [...this.#aside.values()];
  }

  of(docno) {
    return this.#entries.get(docno) ?? null;
  }

  isAside(docno) {
    return this.#aside.has(docno);
  }

  // All that a later visit needs where the page cannot be fetched anew.
  get snapshot() {
    return { progress: this.progress, history: this.newestFirst, aside: this.aside };
  }

  // An act that the page does not know of yet, or does: applying it once more changes nothing.
  replay({ path, body }, title) {
    const { docno, grade, reason, undo } = body;
    if (path === "later/") this.setAside({ docno, title });
    else if (undo) this.undone(docno);
    else this.judged({ docno, title, grade, reason });
  }

  judged({ docno, title, grade = null, reason = "" }) {
    this.#remove(docno);
    this.#aside.delete(docno);
    this.#entries.set(docno, { docno, title, grade, reason });
    this.#count(1, grade);
    this.#tell();
  }

  undone(docno) {
    this.#remove(docno);
    this.#tell();
  }

  setAside({ docno, title }) {
    this.#aside.set(docno, { docno, title });
    this.#tell();
  }

  // The server's own count, once nothing of ours is on its way any more.
  correct(progress) {
    this.progress = progress;
    this.#tell();
  }

  #remove(docno) {
    const before = this.#entries.get(docno);
    if (!before) return;
    this.#entries.delete(docno);
    this.#count(-1, before.grade);
  }

  #count(change, grade) {
    const { judged, relevant } = this.progress;
    this.progress = {
      ...this.progress,
      judged: judged + change,
      relevant: relevant + (this.#relevant.has(grade) ? change : 0),
    };
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}
