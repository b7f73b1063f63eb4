// What this assessor's judgments in the topic are: the history, and the counts that follow from it.

export class Tally extends EventTarget {
  #relevant;
  #entries; // oldest first; of a document that came twice, the later one covers the earlier
  #aside;
  progress;

  constructor({ grades, progress, history, aside }) {
    super();
    this.#relevant = new Set(grades.filter((grade) => grade.relevant).map((grade) => grade.grade));
    this.#entries = [...history].reverse();
    this.#aside = new Map(aside.map((entry) => [entry.docno, entry]));
    this.progress = progress;
  }

  get newestFirst() {
    const seen = new Set();
    return [...this.#entries].reverse().filter(({ docno }) => !seen.has(docno) && seen.add(docno));
  }

  get aside() {
    return [...this.#aside.values()];
  }

  of(docno) {
    return this.#entries.findLast((entry) => entry.docno === docno) ?? null;
  }

  isAside(docno) {
    return this.#aside.has(docno);
  }

  // Whether the document is brought back to look again at what was said of it.
  isRevision(docno) {
    return this.#aside.get(docno)?.revision ?? this.of(docno) !== null;
  }

  // How many documents in a row, up to now, were not relevant; those that could not be judged do not count.
  get stretch() {
    const graded = this.newestFirst.filter(({ grade }) => grade !== null);
    const relevant = graded.findIndex(({ grade }) => this.#relevant.has(grade));
    return relevant < 0 ? graded.length : relevant;
  }

  // All that a later visit needs where the page cannot be fetched again.
  get snapshot() {
    return { progress: this.progress, history: [...this.#entries].reverse(), aside: this.aside };
  }

  // An act that the page does not know of yet, or does: applying it once more changes nothing.
  replay({ path, body }, title) {
    const { id, docno, undo } = body;
    if (path === "later/") {
      if (!this.#aside.has(docno)) this.setAside({ docno, title, revision: this.of(docno) !== null });
    } else if (undo) this.undone(docno);
    else if (!this.#entries.some((entry) => entry.id === id)) this.judged({ ...body, title });
  }

  // What was said of the document without seeing what had been said of it before stands beside that.
  judged({ id, docno, title, grade = null, reason = "", revision = true }) {
    if (revision) this.#remove(docno);
    this.#aside.delete(docno);
    this.#entries.push({ id, docno, title, grade, reason });
    this.#count(1, grade);
    this.#tell();
  }

  undone(docno) {
    this.#remove(docno);
    this.#tell();
  }

  setAside({ docno, title, revision }) {
    this.#aside.set(docno, { docno, title, revision });
    this.#tell();
  }

  // The server's own count, once nothing of ours is on its way any more. One that is as ours changes nothing:
  // drawing the history again would take the focus away from its entries.
  correct(progress) {
    const differs = Object.keys(progress).some((name) => progress[name] !== this.progress[name]);
    this.progress = progress;
    if (differs) this.#tell();
  }

  #remove(docno) {
    const before = this.of(docno);
    if (!before) return;
    this.#entries.splice(this.#entries.lastIndexOf(before), 1);
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
