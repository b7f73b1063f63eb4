// Closing the topic, once it has been judged enough: offered at the minimum, and where nothing is left.
import { Refusal } from "../offline/api.js";
import { byId } from "./dom.js";
import { gettext } from "../../site/words.js";

// The address of something of a topic, whose number may hold anything, slashes included.
export function placeOf(topic, what) {
  return `topics/${topic.split("/").map(encodeURIComponent).join("/")}/${what}/`;
}

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
      this.#say(refused ? gettext("Not closed: {why}.", { why: error.message }) : gettext("Not closed: the server cannot be reached."));
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
