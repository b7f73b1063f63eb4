// What this assessor's judgments in the topic are: the history, and the counts that follow from it.

export class Tally extends EventTarget {
  /** @type {Set<number | null | undefined>} */
  #relevant;
  /** @type {Entry[]} */
  #entries; // oldest first; of a document that came twice, the later one covers the earlier
  /** @type {Map<string, Postponed>} */
  #aside;
  /** @type {Progress} */
  progress;

  /** @param {TallySnapshot & { grades: Pick<Grade, "grade" | "relevant">[] }} known */
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

  /** @param {string} docno */
  of(docno) {
    return this.#entries.findLast((entry) => entry.docno === docno) ?? null;
  }

  /** @param {string} docno */
  isAside(docno) {
    return this.#aside.has(docno);
  }

  // Whether the document is brought back to look again at what was said of it.
  /** @param {string} docno */
  isRevision(docno) {
    return this.#aside.get(docno)?.revision ?? this.of(docno) !== null;
  }

  // How many documents in a row were not relevant; those that could not be judged do not count.
  get stretch() {
    const graded = this.newestFirst.filter(({ grade }) => grade !== null);
    const relevant = graded.findIndex(({ grade }) => this.#relevant.has(grade));
    return relevant < 0 ? graded.length : relevant;
  }

  // All that a later visit needs where the page cannot be fetched again.
  get snapshot() {
    return { progress: this.progress, history: [...this.#entries].reverse(), aside: this.aside };
  }

  // Applying an act twice changes nothing.
  /** @param {Act} act @param {string} title */
  replay({ path, body }, title) {
    const { id, docno, undo } = body;
    if (path === "later/") {
      if (!this.#aside.has(docno)) this.setAside({ docno, title, revision: this.of(docno) !== null });
    } else if (undo) this.undone(docno);
    else if (!this.#entries.some((entry) => entry.id === id)) this.judged({ ...body, title });
  }

  // What was said of the document without seeing what had been said of it before stands beside that.
  /** @param {Verdict & NamedDocument & { id?: string, revision?: boolean, document_revision?: number }} judgment */
  judged({ id, docno, title, grade = null, reason = "", revision = true, document_revision }) {
    if (revision) this.#remove(docno);
    this.#aside.delete(docno);
    this.#entries.push({ id, docno, title, grade, reason, document_revision });
    this.#count(1, grade);
    this.#tell();
  }

  /** @param {string} docno */
  undone(docno) {
    this.#remove(docno);
    this.#tell();
  }

  /** @param {Postponed} postponed */
  setAside({ docno, title, revision }) {
    this.#aside.set(docno, { docno, title, revision });
    this.#tell();
  }

  // The server's own count, once nothing of ours is on its way any more. One that is as ours changes nothing:
  // drawing the history again would take the focus away from its entries.
  /** @param {Progress} progress */
  correct(progress) {
    const now = Object.entries(progress);
    const differs = now.some(([name, count]) => count !== this.progress[/** @type {keyof Progress} */ (name)]);
    this.progress = progress;
    if (differs) this.#tell();
  }

  /** @param {string} docno */
  #remove(docno) {
    const before = this.of(docno);
    if (!before) return;
    this.#entries.splice(this.#entries.lastIndexOf(before), 1);
    this.#count(-1, before.grade);
  }

  /** @param {number} change @param {number | null} grade */
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
