// Refining a topic’s wording.
import { Refusal } from "../../offline/api.js";
import { byId, fieldOf, paragraphs } from "../../../site/elements.js";
import { gettext } from "../../../site/words.js";

/** @type {("description" | "narrative")[]} */
const PARTS = ["description", "narrative"];

// The address of something of a topic, whose number may hold anything, slashes included.
/** @param {string} topic @param {string} what */
export function placeOf(topic, what) {
  return `topics/${topic.split("/").map(encodeURIComponent).join("/")}/${what}/`;
}

// Refining what is wanted while judging: a new wording of the topic, seen by everybody who judges it.
export class Refining {
  #api;
  #topic;
  #revision;
  #dialog = byId("refining");
  #form = byId("refining-form");
  #trouble = byId("refining-trouble");
  #say;

  /** @param {{ api: Api, topic: string, revision: number, say: Say }} parts */
  constructor({ api, topic, revision, say }) {
    this.#api = api;
    this.#topic = topic;
    this.#revision = revision;
    this.#say = say;
    byId("refine").addEventListener("click", () => this.#dialog.showModal());
    byId("refining-cancel").addEventListener("click", () => this.#dialog.close());
    this.#form.addEventListener("submit", (event) => this.#save(event));
  }

  /** @param {Event} event */
  async #save(event) {
    event.preventDefault();
    const words = Object.fromEntries(PARTS.map((part) => [part, fieldOf(this.#form, part).value]));
    this.#explain("");
    try {
      const path = placeOf(this.#topic, "revisions");
      this.#take(await this.#api.post(path, { ...words, based_on: this.#revision }));
    } catch (error) {
      await this.#notSaved(error);
    }
  }

  /** @param {unknown} error @returns {Promise<void>} */
  async #notSaved(error) {
    let why = error;
    try {
      if (error instanceof Refusal && error.code === "outdated") return await this.#showNewer();
    } catch (unreached) {
      why = unreached;
    }
    return this.#explain(why instanceof Refusal ? why.message : gettext("The server cannot be reached; nothing is saved yet."));
  }

  /** @param {Wording} wording */
  #take(wording) {
    this.#revision = wording.revision;
    for (const part of PARTS) {
      byId(`need-${part}`).replaceChildren(...paragraphs(wording[part]));
      fieldOf(this.#form, part).value = wording[part];
    }
    byId("refining-newer").hidden = true;
    this.#dialog.close();
    this.#say(gettext("The topic’s new words are saved."));
  }

  // Saving once more, with the newer words in sight, is a decision.
  async #showNewer() {
    const path = placeOf(this.#topic, "revisions");
    const newest = (await this.#api.get(path, {})).results[0];
    this.#revision = newest.revision;
    for (const part of PARTS) byId(`need-${part}`).replaceChildren(...paragraphs(newest[part]));
    byId("refining-newer").hidden = false;
    byId("refining-newer-words").replaceChildren(...PARTS.flatMap((part) => paragraphs(newest[part])));
    this.#explain(gettext("Someone else edited this topic while you were typing. Your text isn’t saved yet; saving again replaces theirs."));
  }

  /** @param {string} words */
  #explain(words) {
    this.#trouble.textContent = words;
    this.#trouble.hidden = !words;
  }
}
