// What has become of the judgments, always in sight: saved, waiting, offline, refused.
import { Refusal, SignedOut } from "../../offline/api.js";
import { byId, html } from "../../../site/elements.js";
import { gettext, ngettext } from "../../../site/words.js";
/** @import { Outboxes } from "../../offline/outboxes.js" */
/** @import { Judging } from "./judging.js" */

/** @type {Record<string, { short: string, long: string }>} */
const REASONS = {
  offline: {
    short: gettext("offline"),
    long: gettext("The server cannot be reached. Your judgments are kept in this browser and sent as soon as it answers."),
  },
  "signed-out": {
    short: gettext("signed out"),
    long: gettext("Your session has ended. Your judgments are kept in this browser and sent once you have signed in again."),
  },
};

export class Saving {
  #outbox;
  #say;
  #unreached = "";
  #announced = "";
  #wasWaiting = false;

  /** @param {{ outbox: Outboxes, judging: Judging, say: Say }} parts */
  constructor({ outbox, judging, say }) {
    this.#outbox = outbox;
    this.#say = say;
    outbox.addEventListener("change", () => this.#paint());
    judging.addEventListener("reached", () => this.#reach(""));
    judging.addEventListener("unreached", ({ detail }) => this.#reach(reasonOf(detail.error)));
    byId("retry").addEventListener("click", () => outbox.retry());
    this.#paint();
  }

  get trouble() {
    return this.#outbox.trouble ?? this.#unreached;
  }

  get explanation() {
    return REASONS[this.trouble]?.long ?? this.trouble;
  }

  /** @param {string} reason */
  #reach(reason) {
    this.#unreached = reason;
    this.#paint();
  }

  #paint() {
    const { waiting, refused } = this.#outbox;
    const trouble = this.trouble;
    const short = trouble && (REASONS[trouble]?.short ?? gettext("on hold"));
    const counted = waiting === 1 && !trouble ? gettext("saving…") : waiting ? ngettext("{count} waiting", "{count} waiting", waiting) : "";
    const { kept } = this.#outbox;
    const counts = [counted, short, refused.length ? ngettext("{count} refused", "{count} refused", refused.length) : ""].filter(Boolean);
    const parts = [counts.join(" · ") || gettext("saved"), kept ? "" : gettext("offline storage off")].filter(Boolean);
    const button = byId("saving");
    button.textContent = parts.join(" · ");
    button.dataset.state = refused.length ? "bad" : trouble || !kept ? "warn" : waiting ? "busy" : "good";
    this.#explain(waiting, trouble, refused.length);
    this.#list(refused);
    this.#announce(trouble, waiting);
    this.#sayWhenSaved(trouble, waiting);
  }

  /** @param {number} waiting @param {string} trouble @param {number} refused */
  #explain(waiting, trouble, refused) {
    byId("saving-words").textContent = trouble
      ? this.explanation
      : waiting
        ? ngettext("{count} change not saved yet.", "{count} changes not saved yet.", waiting)
        : refused
          ? gettext("Everything else you have judged is stored on the server.")
          : gettext("Everything you have judged is stored on the server.");
    byId("not-kept").hidden = this.#outbox.kept;
    byId("sign-in-again").hidden = trouble !== "signed-out";
    byId("retry").hidden = !trouble;
  }

  /** @param {OutboxEntry[]} refused */
  #list(refused) {
    byId("refused").hidden = !refused.length;
    const rows = refused.map((entry) => {
      const { value } = entry;
      const dismiss = () => this.#outbox.dismiss(entry);
      const button = html("button", { type: "button", class: "plain", onclick: dismiss }, gettext("Dismiss"));
      return html("li", {}, html("span", {}, `${value.body.docno}: ${value.why}`), " ", button);
    });
    byId("refused-list").replaceChildren(...rows);
  }

  // Each change of the connection is said once, not with every try.
  /** @param {string} trouble @param {number} waiting */
  #announce(trouble, waiting) {
    if (trouble === this.#announced) return;
    if (trouble) this.#say(this.explanation);
    else if (!waiting) this.#say(gettext("Connected again. Everything is saved."));
    else return;
    this.#announced = trouble;
  }

  // In a region of its own: it must not take the place of what was just recorded.
  /** @param {string} trouble @param {number} waiting */
  #sayWhenSaved(trouble, waiting) {
    const region = byId("saved-said");
    if (waiting) region.textContent = "";
    else if (this.#wasWaiting && !trouble) region.textContent = byId("saving").textContent;
    this.#wasWaiting = waiting > 0;
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  if (error instanceof SignedOut) return "signed-out";
  return error instanceof Refusal && error.code ? error.message : "offline";
}
