// "I’m done here": ends the topic for this assessor alone. A card shows what they did and where to go on; and
// those who may close the topic for all do so from there.
import { Refusal } from "../../offline/api.js";
import { byId } from "../../../site/elements.js";
import { placeOf } from "./topic.js";
import { gettext, ngettext } from "../../../site/words.js";
/** @import { Outbox } from "../../offline/outbox.js" */
/** @import { Judging } from "./judging.js" */
/** @import { Tally } from "./tally.js" */

export class Finish {
  #api;
  #outbox;
  #judging;
  #tally;
  #data;
  #say;
  #busy = false;
  /** @type {HTMLButtonElement[]} */
  #buttons = [.../** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-done]"))];
  #words = byId("done-words");

  /** @param {{ api: Api, outbox: Outbox, judging: Judging, tally: Tally, data: ScreenData, say: Say }} parts */
  constructor({ api, outbox, judging, tally, data, say }) {
    this.#api = api;
    this.#outbox = outbox;
    this.#judging = judging;
    this.#tally = tally;
    this.#data = data;
    this.#say = say;
    for (const button of this.#buttons) button.addEventListener("click", () => this.done());
    byId("leave-anyway").addEventListener("click", () => {
      byId("leaving").close();
      this.#try(() => this.#complete());
    });
    byId("close-now")?.addEventListener("click", () => this.#closeForAll());
    tally.addEventListener("change", () => this.#offer());
    judging.addEventListener("phase", () => this.#offer());
    this.#connect();
    this.#offer();
  }

  // In sight from the minimum on, as long as the topic is not over.
  #offer() {
    byId("ending").hidden = this.finished || !this.enough;
    if (this.finished) byId("nudge").hidden = true;
  }

  get finished() {
    return this.#judging.phase === "finished";
  }

  get enough() {
    return this.#tally.progress.judged >= this.#least;
  }

  get #least() {
    return Math.max(this.#tally.progress.minimum, 1);
  }

  done() {
    if (this.finished || this.#busy || this.#judging.phase === "stopped") return undefined;
    if (this.#judging.phase === "end" || this.enough) return this.#try(() => this.#leave());
    const words = ngettext("You can be done with this topic from {count} judgment on.", "You can be done with this topic from {count} judgments on.", this.#least);
    return this.#say(words);
  }

  // Where documents of others wait for this assessor's grade, leaving is confirmed first.
  async #leave() {
    await this.#saved();
    const { overlap_left: left } = await this.#api.get(this.#place("done"), {});
    if (!left) return this.#complete();
    const words = ngettext("{count} document of this topic waits for your grade.", "{count} documents of this topic wait for your grade.", left);
    byId("leaving-words").textContent = words;
    return byId("leaving").showModal();
  }

  async #complete() {
    await this.#api.post(this.#place("done"), {});
    const reply = await fetch(this.#data.finish);
    if (!reply.ok) return location.assign(this.#data.leave);
    const card = new DOMParser().parseFromString(await reply.text(), "text/html");
    byId("finished").replaceChildren(...card.body.childNodes);
    this.#connect();
    return this.#judging.finish();
  }

  #connect() {
    byId("judge-on")?.addEventListener("click", () => this.judgeOn());
    byId("close-for-all")?.addEventListener("click", () => byId("closing-all").showModal());
  }

  // Whether the assessor is in the topic now; at once where they never left it.
  async judgeOn() {
    if (!this.finished) return true;
    return this.#try(async () => {
      await this.#api.remove(this.#place("done"));
      this.#judging.resume();
      return true;
    });
  }

  async #closeForAll() {
    const trouble = byId("closing-trouble");
    trouble.hidden = true;
    try {
      await this.#api.post(this.#place("close"), {});
      location.assign(this.#data.leave);
    } catch (error) {
      trouble.textContent = whyOf(error);
      trouble.hidden = false;
    }
  }

  /** @param {string} what */
  #place(what) {
    return placeOf(this.#data.topic, what);
  }

  /** @param {() => Promise<unknown>} act @returns {Promise<unknown>} */
  async #try(act) {
    if (this.#busy) return false;
    this.#explain("");
    this.#wait(true);
    try {
      return await act();
    } catch (error) {
      this.#explain(whyOf(error));
      return false;
    } finally {
      this.#wait(false);
    }
  }

  // What was judged before comes before.
  async #saved() {
    if (!this.#outbox.waiting) return;
    this.#explain(gettext("Waiting until everything is saved…"));
    await /** @type {Promise<void>} */ (new Promise((resolve) => {
      const look = () => {
        if (this.#outbox.waiting) return;
        this.#outbox.removeEventListener("change", look);
        resolve();
      };
      this.#outbox.addEventListener("change", look);
    }));
    this.#explain("");
  }

  /** @param {boolean} busy */
  #wait(busy) {
    this.#busy = busy;
    for (const button of this.#buttons) button.disabled = busy;
  }

  /** @param {string} words */
  #explain(words) {
    this.#words.textContent = words;
    this.#words.hidden = !words;
  }
}

/** @param {unknown} error */
function whyOf(error) {
  if (error instanceof Refusal) return gettext("The topic stays as it is: {why}.", { why: error.message });
  return gettext("The topic stays as it is: the server cannot be reached.");
}
