// Closing a topic, and refining its wording.
import { Refusal } from "../offline/api.js";
import { byId, make } from "./dom.js";
import { gettext } from "../../site/words.js";

const PARTS = ["description", "narrative"];

// The address of something of a topic, whose number may hold anything, slashes included.
function placeOf(topic, what) {
  return `topics/${topic.split("/").map(encodeURIComponent).join("/")}/${what}/`;
}

function paragraphs(text) {
  return text.split(/\n\s*\n/).filter(Boolean).map((part) => make("p", { text: part }));
}

// Closing the topic, once it has been judged enough: offered at the minimum, and where nothing is left.
export class Closing {
  #api;
  #outbox;
  #data;
  #buttons = [byId("nudge-finish"), byId("close-topic")];
  #words = byId("closing-words");

  constructor({ api, outbox, data }) {
    this.#api = api;
    this.#outbox = outbox;
    this.#data = data;
    for (const button of this.#buttons) button.addEventListener("click", () => this.#close());
  }

  async #close() {
    this.#say("");
    this.#wait(true);
    // What was judged before comes before: a closed topic takes nothing more of it.
    await this.#saved();
    try {
      await this.#api.post(placeOf(this.#data.topic, "close"), {});
      location.assign(this.#data.leave);
    } catch (error) {
      const refused = error instanceof Refusal;
      this.#say(refused ? gettext("Couldn’t close the topic: {why}.", { why: error.message }) : gettext("Couldn’t close the topic: the server cannot be reached."));
      this.#wait(false);
    }
  }

  async #saved() {
    if (!this.#outbox.waiting) return;
    this.#say(gettext("Closing as soon as everything is saved…"));
    await new Promise((resolve) => {
      const look = () => {
        if (this.#outbox.waiting) return;
        this.#outbox.removeEventListener("change", look);
        resolve();
      };
      this.#outbox.addEventListener("change", look);
    });
  }

  #wait(busy) {
    for (const button of this.#buttons) button.disabled = busy;
  }

  #say(words) {
    this.#words.textContent = words;
    this.#words.hidden = !words;
  }
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

  constructor({ api, topic, revision, say }) {
    this.#api = api;
    this.#topic = topic;
    this.#revision = revision;
    this.#say = say;
    byId("refine").addEventListener("click", () => this.#dialog.showModal());
    byId("refining-cancel").addEventListener("click", () => this.#dialog.close());
    this.#form.addEventListener("submit", (event) => this.#save(event));
  }

  async #save(event) {
    event.preventDefault();
    const words = Object.fromEntries(PARTS.map((part) => [part, this.#form.elements[part].value]));
    this.#explain("");
    try {
      const path = placeOf(this.#topic, "revisions");
      this.#take(await this.#api.post(path, { ...words, based_on: this.#revision }));
    } catch (error) {
      await this.#notSaved(error);
    }
  }

  async #notSaved(error) {
    let why = error;
    try {
      if (error.code === "outdated") return await this.#showNewer();
    } catch (unreached) {
      why = unreached;
    }
    return this.#explain(why instanceof Refusal ? why.message : gettext("The server cannot be reached; nothing is saved yet."));
  }

  #take(wording) {
    this.#revision = wording.revision;
    for (const part of PARTS) {
      byId(`need-${part}`).replaceChildren(...paragraphs(wording[part]));
      this.#form.elements[part].value = wording[part];
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

  #explain(words) {
    this.#trouble.textContent = words;
    this.#trouble.hidden = !words;
  }
}
