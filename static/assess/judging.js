// The session: which document is on the screen, what an act does to it, and where the next comes from.
import { Refusal } from "./api.js";
import { Patience } from "./patience.js";
import { uuid } from "./uuid.js";

const REMEMBERED = 80;
const RENEW_EVERY = 5 * 60_000;

export class Judging extends EventTarget {
  #api;
  #outbox;
  #tally;
  #clock;
  #topic;
  #seen = new Map(); // documents of this visit, so that undoing and revising need no network
  #trail = []; // what u takes back, newest last: {docno, aside}
  #interrupted = null; // the unjudged document that a revision or an undo pushed off the screen
  #refilling = false;
  #renewed = 0; // when the claim on the current document was last taken or renewed
  #patience = new Patience();
  // "between": no document, one is on its way. "reading": one is on screen. "end": none is left.
  phase = "between";
  current = null;

  constructor({ api, outbox, tally, clock, topic }) {
    super();
    this.#api = api;
    this.#outbox = outbox;
    this.#tally = tally;
    this.#clock = clock;
    this.#topic = topic;
    outbox.addEventListener("reply", ({ detail }) => this.#replied(detail));
    outbox.addEventListener("refusal", ({ detail }) => this.#refused(detail));
    outbox.addEventListener("held", () => this.#resumeInterrupted());
  }

  // Acts left over from an earlier visit go first: what they concern must not be served again.
  async begin() {
    if (this.#outbox.waiting) this.#outbox.run();
    else await this.#refill();
  }

  judge(grade) {
    this.#record({ grade });
  }

  cannotJudge(reason) {
    this.#record({ reason });
  }

  #record(verdict) {
    const document = this.#take();
    if (!document) return;
    const { docno, title } = document;
    const act = { id: uuid(), topic: this.#topic, docno, ...verdict, milliseconds: this.#clock.read() };
    const before = this.#tally.of(docno);
    this.#trail.push({ docno });
    this.#tally.judged({ docno, title, ...verdict });
    this.#tell("recorded", { document, ...verdict, revision: before !== null });
    this.#leave();
    this.#outbox.put("judgments/", act);
  }

  later() {
    const document = this.#take();
    if (!document) return;
    const { docno, title } = document;
    this.#trail.push({ docno, aside: true });
    this.#tally.setAside({ docno, title });
    this.#tell("aside", { document });
    this.#leave();
    this.#outbox.put("later/", { topic: this.#topic, docno });
  }

  // Takes back this visit's last act, then the one before; then what earlier visits judged.
  undo() {
    const last = this.#trail.pop() ?? this.#newest();
    if (!last) return this.#tell("nothing-to-undo");
    if (last.aside) return this.recall(last.docno);
    if (!this.#tally.of(last.docno)) return this.undo();
    const { docno, title } = this.#tally.of(last.docno);
    this.#tally.undone(docno);
    this.#tell("undone", { document: { docno, title } });
    this.#interrupt();
    const known = this.#seen.get(docno);
    if (known) this.#show({ document: known, claim: { docno, revising: null } });
    else this.#leave();
    this.#outbox.put("judgments/", { id: uuid(), topic: this.#topic, docno, undo: true });
    return undefined;
  }

  #newest() {
    return this.#tally.newestFirst[0];
  }

  // Brings a document back: from the history to revise it, or one that was set aside.
  async recall(docno) {
    if (this.current?.document.docno === docno) return;
    this.#interrupt();
    const known = this.#seen.get(docno);
    if (known) this.#show({ document: known, claim: { docno, revising: this.#tally.of(docno)?.grade ?? null } });
    else this.#leave();
    try {
      const served = await this.#api.get("next/", { topic: this.#topic, docno });
      if (!known) this.#show(served);
    } catch (error) {
      // With the text at hand it can be judged all the same: the claim is a courtesy.
      if (known) return;
      this.#tell("cannot-recall", { docno, why: error instanceof Refusal ? error.message : "" });
      if (!this.#resumeInterrupted()) this.#refill();
    }
  }

  // Leaves a revision without changing anything.
  goBack() {
    if (!this.#resumeInterrupted(true)) {
      this.#leave();
      this.#refill();
    }
  }

  async renewClaim() {
    if (this.phase !== "reading" || !this.#clock.awake || Date.now() - this.#renewed < RENEW_EVERY) return;
    this.#renewed = Date.now();
    const { docno } = this.current.document;
    await this.#api.post("claims/", { topic: this.#topic, docno }).catch(() => {
      // A judgment under an expired claim is taken too; there is nothing to tell.
    });
  }

  #interrupt() {
    if (this.current && !this.current.before) this.#interrupted = this.current;
  }

  #take() {
    return this.phase === "reading" ? this.current.document : null;
  }

  #leave() {
    this.current = null;
    this.#enter("between");
  }

  #replied({ act, reply }) {
    if (this.#outbox.waiting) return;
    if (reply?.progress && act.body.topic === this.#topic) this.#tally.correct(reply.progress);
    if (this.phase !== "between") return;
    if (act.body.topic !== this.#topic || !reply) this.#refill();
    else this.#served(reply.next);
  }

  #served(next) {
    this.#interrupted = null;
    if (next) this.#show(next);
    else this.#end();
  }

  // What the server will not have is not in its log: it is not in ours either.
  #refused({ act }) {
    if (act.body.topic === this.#topic && !act.body.undo) this.#tally.undone(act.body.docno);
    this.#refill();
  }

  async #refill() {
    if (this.#refilling) return;
    this.#refilling = true;
    while (this.#wantsDocument && !(await this.#fetchNext())) await this.#patience.wait();
    this.#refilling = false;
  }

  get #wantsDocument() {
    return this.phase === "between" && !this.#outbox.waiting;
  }

  // Whether there is nothing left to try.
  async #fetchNext() {
    try {
      const served = await this.#api.get("next/", { topic: this.#topic });
      this.#tell("reached");
      if (!this.#wantsDocument) return true;
      this.#served(served);
      if (served) this.#tally.correct(served.progress);
      return true;
    } catch (error) {
      this.#tell("unreached", { error });
      return error instanceof Refusal && error.code !== "campaign_not_open";
    }
  }

  #resumeInterrupted(wanted = this.phase === "between") {
    if (!wanted || !this.#interrupted || this.#tally.of(this.#interrupted.document.docno)) return false;
    const { document, claim } = this.#interrupted;
    this.#interrupted = null;
    this.#show({ document, claim });
    return true;
  }

  #show(served) {
    const { document, claim } = served;
    const before = this.#tally.of(document.docno);
    this.current = { document, claim: { ...claim, revising: claim.revising ?? before?.grade ?? null }, before };
    this.#remember(document);
    this.#clock.start();
    this.#renewed = Date.now();
    this.#patience.reset();
    this.#enter("reading");
  }

  #remember(document) {
    this.#seen.delete(document.docno);
    this.#seen.set(document.docno, document);
    if (this.#seen.size > REMEMBERED) this.#seen.delete(this.#seen.keys().next().value);
  }

  #end() {
    this.current = null;
    this.#enter("end");
  }

  #enter(phase) {
    this.phase = phase;
    this.#tell("phase");
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
