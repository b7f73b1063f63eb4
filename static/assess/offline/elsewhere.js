// The same topic in another tab, or on another device.
import { byId } from "../screen/dom.js";
import { own } from "./tabs.js";
import { gettext } from "../../site/words.js";

const FLAG = "take-over";

export class Elsewhere {
  #name;

  constructor(name) {
    this.#name = name;
    byId("elsewhere-act").addEventListener("click", () => this.#takeOver());
  }

  // Whether this tab has the topic; `lost` is called when another takes it.
  own(lost) {
    return own(this.#name, { force: this.#wasChosen(), lost });
  }

  inAnotherTab() {
    this.#show(gettext("This topic is open in another tab of this browser."), gettext("Go on here"));
  }

  onAnotherScreen() {
    this.#show(gettext("This topic went on elsewhere. What you judged here is saved, too."), gettext("Show where it stands"));
  }

  #show(words, act) {
    byId("elsewhere-words").textContent = words;
    byId("elsewhere-act").textContent = act;
    byId("elsewhere").hidden = false;
  }

  // The page is made anew: what is on it may be old.
  #takeOver() {
    try {
      sessionStorage.setItem(FLAG, this.#name);
    } catch {
      // then one has to close the other tab
    }
    location.reload();
  }

  #wasChosen() {
    try {
      const chosen = sessionStorage.getItem(FLAG) === this.#name;
      sessionStorage.removeItem(FLAG);
      return chosen;
    } catch {
      return false;
    }
  }
}
