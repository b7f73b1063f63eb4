// A short word on what was recorded, seen for a second and told to screen readers.
import { byId } from "./dom.js";

const SHOWN = 1400;

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
