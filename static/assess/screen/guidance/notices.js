// Short notices on the screen: what was recorded, and hints.
import { byId } from "../../../site/elements.js";
import { number } from "../../../site/numbers.js";
import { gettext } from "../../../site/words.js";
/** @import { Ahead } from "../../offline/ahead.js" */
/** @import { Tally } from "../acts/tally.js" */

const SHOWN = 5000;
const BREAK_EVERY = 50;
const A_BREAK = 5 * 60_000;
// After so many documents in a row without a relevant one, the assessor learns what more would still be worth.
const STRETCH = 10;

// What was recorded is a ring around the newest of the recent judgments. Other short messages stand in the place of
// progress for some seconds. Screen readers read both.
export class Flash {
  #box = byId("flash");
  #said = byId("said");
  #timer = 0;

  /** @param {string} words */
  ring(words) {
    this.#box.hidden = true;
    byId("last").classList.add("ringed");
    this.say(words);
  }

  /** @param {string} words */
  show(words) {
    this.#box.textContent = words;
    this.#box.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { this.#box.hidden = true; }, SHOWN);
    this.say(words);
  }

  /** @param {string} words */
  say(words) {
    this.#said.textContent = "";
    requestAnimationFrame(() => {
      this.#said.textContent = words;
    });
  }
}

// Hints that never stand in the way of the next key: the minimum is reached, nothing relevant has come for a
// while, and it is time for a break.
export class Nudges {
  #tally;
  #ahead;
  #strip = byId("nudge");
  #sinceBreak = 0;
  #lastAct = 0;

  /** @param {{ tally: Pick<Tally, "progress" | "stretch">, ahead?: Ahead }} parts */
  constructor({ tally, ahead }) {
    this.#tally = tally;
    this.#ahead = ahead;
    // Asked for shortly before it may be shown, so that no key waits for it.
    if (ahead) ahead.wantsWorth = () => tally.stretch % STRETCH >= STRETCH - 3;
    byId("nudge-dismiss").addEventListener("click", () => this.#dismiss());
  }

  // Called after each judgment, before the next document is shown.
  /** @param {{ first: boolean }} how */
  judged({ first }) {
    const now = Date.now();
    if (now - this.#lastAct > A_BREAK) this.#sinceBreak = 0;
    this.#lastAct = now;
    this.#sinceBreak += 1;
    const { judged, minimum } = this.#tally.progress;
    const worth = this.#worth;
    if (first && judged === minimum) {
      this.#show("minimum", gettext("You have reached the minimum of {minimum} judgments for this topic. You can be done here or keep judging.", { minimum }));
    } else if (first && worth !== null) {
      this.#show("stretch", this.#worthWords(worth));
    } else if (this.#sinceBreak % BREAK_EVERY === 0) {
      this.#show("break", gettext("{count} judged without a break. A short rest helps you judge consistently.", { count: this.#sinceBreak }));
    } else {
      this.#hide();
    }
  }

  // What more would still be worth, where that is worth saying.
  get #worth() {
    const { stretch } = this.#tally;
    return stretch > 0 && stretch % STRETCH === 0 ? (this.#ahead?.worth ?? null) : null;
  }

  /** @param {number} worth */
  #worthWords(worth) {
    const share = number(100 * worth, 1);
    return gettext("None of the last {count} documents was relevant. All unjudged documents of this topic together can add at most {share} of 100 points to a run’s score, on average.", { count: this.#tally.stretch, share });
  }

  // The server proposes another topic; it stays proposed until the next judgment.
  /** @param {{ topic: string, title: string, address: string }} topic */
  propose({ topic, title, address }) {
    const named = title ? `${topic} · ${title}` : topic;
    this.#show("onward", gettext("This topic has enough judgments for now. Topic {topic} comes next.", { topic: named }));
    byId("nudge-onward").href = address;
  }

  /** @param {string} kind @param {string} words */
  #show(kind, words) {
    const { judged, minimum } = this.#tally.progress;
    byId("nudge-onward").hidden = kind !== "onward";
    byId("nudge-words").textContent = words;
    byId("nudge-finish").hidden = kind === "break" || judged < Math.max(minimum, 1);
    byId("nudge-dismiss").textContent = kind === "break" ? gettext("Not now") : gettext("Go on");
    this.#strip.hidden = false;
  }

  // The focus goes back to the document, not nowhere.
  #dismiss() {
    this.#hide();
    byId("document-title").focus({ preventScroll: true });
  }

  #hide() {
    this.#strip.hidden = true;
  }
}
