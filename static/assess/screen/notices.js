// Short notices on the screen: what was recorded, and two hints.
import { byId } from "./dom.js";
import { gettext } from "../../site/words.js";

const SHOWN = 1400;
const BREAK_EVERY = 50;
const A_BREAK = 5 * 60_000;

// A short word on what was recorded, seen for a second and told to screen readers.
export class Flash {
  #box = byId("flash");
  #said = byId("said");
  #timer = 0;

  show(words, grade = "none") {
    this.#box.textContent = words;
    this.#box.dataset.grade = grade;
    this.#box.classList.remove("shown");
    void this.#box.offsetWidth; // restarts the animation for the same words again
    this.#box.classList.add("shown");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#box.classList.remove("shown"), SHOWN);
    this.say(words);
  }

  say(words) {
    this.#said.textContent = "";
    requestAnimationFrame(() => {
      this.#said.textContent = words;
    });
  }
}

// Two hints that never stand in the way of the next key: the minimum is reached, and it is time for a break.
export class Nudges {
  #tally;
  #strip = byId("nudge");
  #sinceBreak = 0;
  #lastAct = 0;

  constructor({ tally }) {
    this.#tally = tally;
    byId("nudge-dismiss").addEventListener("click", () => this.#dismiss());
  }

  // Called after each judgment, before the next document is shown.
  judged({ first }) {
    const now = Date.now();
    if (now - this.#lastAct > A_BREAK) this.#sinceBreak = 0;
    this.#lastAct = now;
    this.#sinceBreak += 1;
    const { judged, minimum } = this.#tally.progress;
    if (first && judged === minimum) {
      this.#show("minimum", gettext("You have reached the minimum of {minimum} judgments for this topic. You can be done here or keep judging.", { minimum }));
    } else if (this.#sinceBreak % BREAK_EVERY === 0) {
      this.#show("break", gettext("{count} judged without a break. A short rest helps you judge consistently.", { count: this.#sinceBreak }));
    } else {
      this.#hide();
    }
  }

  #show(kind, words) {
    byId("nudge-words").textContent = words;
    byId("nudge-finish").hidden = kind !== "minimum";
    byId("nudge-dismiss").textContent = kind === "minimum" ? gettext("Go on") : gettext("Not now");
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
