// The session: which document is on the screen, what an act does to it, and where the next comes from.
import { Refusal, Unreachable } from "../../offline/api.js";
import { Patience } from "../../offline/patience.js";
import { uuid } from "../../../site/elements.js";
import { sight } from "../reading/sight.js";
/** @import { Ahead } from "../../offline/ahead.js" */
/** @import { Outbox } from "../../offline/outbox.js" */
/** @import { Clock } from "./clock.js" */
/** @import { Tally } from "./tally.js" */

const RENEW_EVERY = 5 * 60_000;
// Milliseconds for which the server's choice is awaited: it knows what others judged since the documents at
// hand were chosen, and so short a wait is not noticed.
const BLINK = 80;
// Milliseconds from a document's appearance on for which an act was meant for the one before it.
const TOO_SOON = 250;

export class Judging extends /** @type {Announcer<JudgingNews>} */ (EventTarget) {
  #api;
  #outbox;
  #tally;
  #clock;
  #topic;
  #ahead;
  /** @type {{ docno: string, aside?: boolean }[]} */
  #trail = []; // what u takes back, newest last: {docno, aside}
  /** @type {Current[]} */
  #interrupted = []; // unjudged documents that a revision or an undo pushed off the screen, newest last
  /** @type {Set<string>} */
  #since = new Set(); // docnos on which something was done since the last question was asked
  /** @type {Set<string>} */
  #again = new Set(); // docnos that the server serves as new, whatever was said of them before
  #refilling = false;
  #acts = 0;
  #sentAt = 0; // when the last act was sent
  #replyTook = Infinity; // milliseconds from the last act to its reply
  #blink = 0; // the timer while the server's choice is awaited
  #asked = -1; // how many acts there were, all of them saved, when the last question was asked
  #renewed = 0; // when the claim on the current document was last taken or renewed
  #patience = new Patience();
  #askPatience = new Patience();
  #countsDiffer = false; // the server's next count may differ from ours without judging elsewhere
  /** @type {() => void} */
  #fallback = () => {};
  // "between": no document, one is on its way. "reading": one is on screen. "end": none is left.
  // "finished": the assessor is done with the topic. "stopped": another tab has the topic.
  phase = "between";
  /** @type {Current | null} */
  current = null;

  /** @param {{ api: Api, outbox: Outbox, tally: Tally, clock: Clock, topic: string, ahead: Ahead }} parts */
  constructor({ api, outbox, tally, clock, topic, ahead }) {
    super();
    this.#api = api;
    this.#outbox = outbox;
    this.#tally = tally;
    this.#clock = clock;
    this.#topic = topic;
    this.#ahead = ahead;
    ahead.addEventListener("asked", () => this.#asks());
    ahead.addEventListener("answer", ({ detail }) => this.#answered(detail));
    ahead.addEventListener("unreached", ({ detail }) => this.#notAnswered(detail));
    outbox.addEventListener("reply", ({ detail }) => this.#replied(detail));
    outbox.addEventListener("refusal", ({ detail }) => this.#refused(detail));
    outbox.addEventListener("held", () => this.#held());
  }

  // Acts left over from an earlier visit go first: what they concern must not be served again. Without a
  // network, the screen is as it was left.
  /** @param {{ left: string, offline: boolean }} left */
  async begin({ left, offline }) {
    this.#fallback = () => this.#resume(left);
    if (this.#outbox.waiting) {
      this.#countsDiffer = true; // the page that left them may have sent them while this one was on its way
      this.#resume(left);
      this.#outbox.run();
    } else {
      if (offline) this.#resume(left);
      await this.#refill();
    }
  }

  // What is on screen, while there is a document.
  get reading() {
    return this.phase === "reading" ? this.current : null;
  }

  // What was begun is another assessor's to have from now on.
  finish() {
    this.current = null;
    this.#interrupted = [];
    this.#enter("finished");
  }

  resume() {
    this.#leave();
    this.#refill();
  }

  stop() {
    this.current = null;
    this.#enter("stopped");
  }

  // The document that was on screen when the page was left, or else one that is at hand.
  /** @param {string} docno */
  #resume(docno) {
    const known = docno && !this.#isDone(docno) ? this.#ahead.document(docno) : null;
    const document = known ?? this.#following("", "");
    if (document && this.phase === "between") this.#show(alone(document));
  }

  /** @param {number} grade */
  judge(grade) {
    this.#record({ grade });
  }

  /** @param {string} reason */
  cannotJudge(reason) {
    this.#record({ reason });
  }

  /** @param {Verdict} verdict */
  #record(verdict) {
    const taken = this.#take();
    if (!taken) return;
    const { document } = taken;
    const { docno, title, document_revision } = document;
    const revision = taken.before !== null;
    const act = { id: uuid(), topic: this.#topic, docno, ...verdict, milliseconds: this.#clock.read(), ...sight(), revision, document_revision };
    this.#trail.push({ docno });
    this.#did(docno);
    this.#tally.judged({ ...act, title });
    this.#tell("recorded", { document, ...verdict, revision });
    this.#goOn("judgments/", act, String(verdict.grade ?? ""));
  }

  later() {
    const taken = this.#take();
    if (!taken) return;
    const { document } = taken;
    const { docno, title } = document;
    this.#trail.push({ docno, aside: true });
    this.#did(docno);
    this.#tally.setAside({ docno, title, revision: taken.before !== null });
    this.#tell("aside", { document });
    this.#goOn("later/", { topic: this.#topic, docno }, "");
  }

  // The act is kept before the next document is shown, and the server learns which one that is.
  /** @param {string} path @param {ActBody} act @param {string} outcome */
  #goOn(path, act, outcome) {
    const next = this.#following(act.docno, outcome);
    const awaited = next && path === "judgments/" && this.#replyTook < BLINK && this.#settled && !this.#interrupted.length;
    if (awaited) return this.#awaitChoice(path, act, next);
    this.#send(path, next ? { ...act, shown: next.docno } : act);
    if (next) this.#show(alone(next));
    else this.#leave();
    return undefined;
  }

  // While the server is quick it chooses the next document; if it is not, the one at hand is shown.
  /** @param {string} path @param {ActBody} act @param {ShownDocument} next */
  #awaitChoice(path, act, next) {
    this.#send(path, { ...act, have: this.#ahead.atHand });
    this.#leave();
    this.#blink = setTimeout(() => this.#show(alone(next)), BLINK);
  }

  /** @param {string} path @param {ActBody} body */
  #send(path, body) {
    this.#acts += 1;
    this.#sentAt = performance.now();
    this.#outbox.put(path, body);
  }

  // One that was begun and interrupted comes first; then what the outcome asks for; then the reserve.
  /** @param {string} docno @param {string} outcome */
  #following(docno, outcome) {
    const begun = this.#interrupted.map(({ document }) => document).reverse();
    const candidates = [...begun, ...this.#ahead.following(docno, outcome)];
    return candidates.find((document) => document.docno !== docno && !this.#isDone(document.docno)) ?? null;
  }

  /** @param {string} docno */
  #isDone(docno) {
    return (this.#tally.of(docno) !== null && !this.#again.has(docno)) || this.#tally.isAside(docno);
  }

  // Takes back acts, the last first; then those of earlier visits.
  /** @returns {unknown} */
  undo() {
    if (this.phase === "stopped") return undefined;
    const last = this.#trail.pop() ?? this.#newest();
    if (!last) return this.#tell("nothing-to-undo");
    if (last.aside) return this.recall(last.docno);
    const judged = this.#tally.of(last.docno);
    if (!judged) return this.undo();
    const { docno, title } = judged;
    this.#tally.undone(docno);
    this.#tell("undone", { document: { docno, title } });
    this.#interrupt();
    this.#send("judgments/", { id: uuid(), topic: this.#topic, docno, undo: true });
    const known = this.#ahead.document(docno);
    if (known) this.#show(alone(known));
    else this.#leave();
    return undefined;
  }

  /** @returns {{ docno: string, aside?: boolean } | undefined} */
  #newest() {
    return this.#tally.newestFirst[0];
  }

  // Brings a document back: from the history to revise it, or one that was set aside.
  /** @param {string} docno */
  async recall(docno) {
    if (this.phase === "stopped" || this.current?.document.docno === docno) return;
    this.#interrupt();
    const known = this.#ahead.document(docno);
    if (known) this.#show(alone(known, this.#tally.isRevision(docno)));
    else this.#leave();
    try {
      const served = await this.#api.get("next/", { topic: this.#topic, docno });
      if (!known || known.document_revision !== served.document.document_revision) this.#show(served);
      else this.#ask();
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
    const shown = this.reading;
    if (!shown || !this.#clock.awake || performance.now() - this.#renewed < RENEW_EVERY) return;
    this.#renewed = performance.now();
    const { docno } = shown.document;
    await this.#api.post("claims/", { topic: this.#topic, docno }).catch(() => {
      // A judgment under an expired claim is taken too; there is nothing to tell.
    });
    this.#ask(); // what is at hand stays this assessor's, too
  }

  #interrupt() {
    if (this.current && !this.current.before) this.#interrupted.push(this.current);
  }

  // What has just appeared was not read: a key that came twice judges once, and that is said.
  #take() {
    const shown = this.reading;
    if (!shown || shown.accepts) return shown;
    this.#tell("too-soon");
    return null;
  }

  // Called once the document is before the eyes; from a moment later on it takes acts.
  /** @param {ShownDocument} document */
  seen(document) {
    const shown = this.current;
    if (shown?.document !== document) return;
    setTimeout(() => {
      if (this.current !== shown) return;
      shown.accepts = true;
      this.#tell("accepts");
    }, TOO_SOON);
  }

  #leave() {
    this.current = null;
    this.#enter("between");
  }

  /** @param {{ act: Act, reply: Reply }} answered */
  #replied({ act, reply }) {
    this.#tell("reached");
    if (!this.#settled) return;
    this.#replyTook = performance.now() - this.#sentAt;
    const ours = act.body.topic === this.#topic && reply !== null;
    if (ours) this.#compare(reply.progress);
    // New here, and yet not new: it was judged on another screen, too.
    if (ours && act.body.revision === false && reply.judgment.revision) this.#tell("elsewhere");
    if (this.reading && ours && act.body.shown) this.#confirm(this.reading, act.body.shown, reply.next);
    if (this.reading && ours && act.body.have) this.#claim(this.reading, reply.next);
    if (this.phase === "reading") this.#ask();
    if (this.phase !== "between") return;
    const next = reply?.next ?? null;
    const document = next && (next.document ?? this.#ahead.document(next.docno));
    if (ours && next && document) this.#show({ ...next, document });
    else if (ours && !next) this.#end();
    else this.#refill();
  }

  // The choice came too late, and the document at hand is being read: it is claimed in its place.
  /** @param {Current} shown @param {{ docno: string } | null} chosen */
  #claim(shown, chosen) {
    const { docno } = shown.document;
    if (chosen?.docno === docno) return;
    this.#api.get("next/", { topic: this.#topic, docno }).catch(() => {
      // A judgment without a claim is taken, too.
    });
  }

  // What this browser showed by itself was another assessor's: the server's choice takes its place,
  // unless one has gone on from it.
  /** @param {Current} current @param {string} shown @param {NextDocument | null} next */
  #confirm(current, shown, next) {
    if (current.document.docno !== shown || next?.docno === shown) return;
    this.#tell("replaced", { document: current.document });
    this.#served(/** @type {Served | null} */ (next));
  }

  // Another count than ours: there was judging in this topic elsewhere.
  /** @param {Progress} progress */
  #compare(progress) {
    if (progress.judged !== this.#tally.progress.judged && !this.#countsDiffer) this.#tell("elsewhere");
    this.#countsDiffer = false;
    this.#tally.correct(progress);
  }

  get #settled() {
    return !this.#outbox.waiting;
  }

  #asks() {
    this.#asked = this.#settled ? this.#acts : -1;
    this.#since.clear();
  }

  /** @param {string} docno */
  #did(docno) {
    this.#since.add(docno);
    this.#again.delete(docno);
  }

  /** @param {AheadAnswer} answer */
  #answered({ progress, next, reserve }) {
    this.#askPatience.reset();
    this.#tell("reached");
    if (this.#asked === -1) return;
    if (this.#settled && this.#asked === this.#acts) this.#compare(progress);
    // The server knew what had been said of them, and offers them all the same.
    for (const docno of [...Object.values(next), ...reserve]) {
      if (docno !== null && !this.#since.has(docno) && this.#tally.of(docno)) this.#again.add(docno);
    }
  }

  /** @param {unknown} error */
  async #notAnswered(error) {
    this.#replyTook = Infinity;
    this.#tell("unreached", { error });
    await this.#askPatience.wait();
    this.#ask();
  }

  #ask() {
    if (this.#settled && this.current) this.#ahead.ask(this.current.document.docno);
  }

  /** @param {Served | null} next */
  #served(next) {
    if (next) this.#show(next);
    else this.#end();
  }

  // What the server will not have is not in its log: it is not in ours either.
  /** @param {{ act: Act, code: string }} refusal */
  #refused({ act, code }) {
    if (code === "text_replaced") this.#ahead.forget(act.body.docno);
    if (act.body.topic === this.#topic && !act.body.undo) this.#tally.undone(act.body.docno);
    this.#countsDiffer = true;
    this.#refill();
  }

  async #refill() {
    if (this.#refilling) return;
    this.#refilling = true;
    while (this.#wantsDocument && !(await this.#fetchNext())) await this.#patience.wait();
    this.#refilling = false;
  }

  get #wantsDocument() {
    return this.phase === "between" && this.#settled;
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
      if (error instanceof Unreachable && this.#wantsDocument) this.#fallback();
      return error instanceof Refusal && error.code !== "campaign_not_open";
    }
  }

  #held() {
    this.#replyTook = Infinity;
    this.#resumeInterrupted();
  }

  #resumeInterrupted(wanted = this.phase === "between") {
    const last = this.#interrupted.findLast(({ document }) => !this.#isDone(document.docno));
    if (!wanted || !last) return false;
    this.#show({ document: last.document, claim: last.claim });
    return true;
  }

  /** @param {{ document: ShownDocument, claim: Claim }} served */
  #show(served) {
    if (this.phase === "stopped") return;
    const { document, claim } = served;
    const said = this.#tally.of(document.docno);
    const before = claim.revision ? said : null;
    if (said && !before) this.#again.add(document.docno);
    this.current = { document, claim: { ...claim, revising: claim.revising ?? before?.grade ?? null }, before, accepts: false };
    this.#interrupted = this.#interrupted.filter((other) => other.document.docno !== document.docno);
    this.#ahead.remember(document);
    this.#clock.start();
    this.#renewed = performance.now();
    this.#patience.reset();
    this.#enter("reading");
    this.#ask();
  }

  #end() {
    this.current = null;
    this.#enter("end");
  }

  /** @param {string} phase */
  #enter(phase) {
    if (this.phase === "stopped") return;
    clearTimeout(this.#blink);
    this.phase = phase;
    this.#tell("phase");
  }

  /** @param {string} type @param {unknown} [detail] */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

// As it is at hand, without the server's word on it.
/** @param {ShownDocument} document @param {boolean} [revision] */
function alone(document, revision = false) {
  return { document, claim: { docno: document.docno, revising: null, revision } };
}
