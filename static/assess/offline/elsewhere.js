// The same topic in another tab, or on another device.
import { byId } from "../../site/elements.js";
import { gettext } from "../../site/words.js";

const FLAG = "take-over";
const OLD_PAGE_GONE = 700; // a reload's new page may ask before the old one has let go
const ANSWER = 250;

export class Elsewhere {
  #name;

  /** @param {string} name */
  constructor(name) {
    this.#name = name;
    byId("elsewhere-act").addEventListener("click", () => this.#takeOver());
  }

  // Whether this tab has the topic; `lost` is called when another takes it.
  /** @param {() => void} lost @returns {Promise<boolean>} */
  own(lost) {
    return ownTab(this.#name, { force: this.#wasChosen(), lost });
  }

  inAnotherTab() {
    this.#show(gettext("This topic is open in another tab of this browser."), gettext("Continue here"));
  }

  onAnotherScreen() {
    this.#show(gettext("You continued this topic elsewhere. Your judgments here are saved too."), gettext("Show my latest judgments"));
  }

  /** @param {string} words @param {string} act */
  #show(words, act) {
    byId("elsewhere-words").textContent = words;
    byId("elsewhere-act").textContent = act;
    byId("elsewhere").hidden = false;
  }

  // The page is loaded again: what is on it may be old.
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

// One tab of a browser has a topic; another says so and offers to take it over. Locks need https or
// localhost: elsewhere the tabs ask each other.
/** @param {string} name @param {{ force: boolean, lost: () => void }} how @returns {Promise<boolean>} */
function ownTab(name, { force, lost }) {
  if (navigator.locks) return withLocks(name, force, lost);
  return "BroadcastChannel" in globalThis ? withChannel(name, force, lost) : Promise.resolve(true);
}

/** @param {string} name @param {boolean} force @param {() => void} lost @returns {Promise<boolean>} */
function withLocks(name, force, lost) {
  return new Promise((resolve) => {
    let owned = false;
    const hold = () => {
      owned = true;
      resolve(true);
      return new Promise(() => {}); // until the page goes, or another steals it
    };
    const how = force ? { steal: true } : { signal: AbortSignal.timeout(OLD_PAGE_GONE) };
    navigator.locks.request(name, how, hold).catch(() => (owned ? lost() : resolve(false)));
  });
}

/** @param {string} name @param {boolean} force @param {() => void} lost @returns {Promise<boolean>} */
function withChannel(name, force, lost) {
  const channel = new BroadcastChannel(name);
  let state = "asking";
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (data === "who" && state === "owner") channel.postMessage("mine");
      if (data === "mine" && state === "asking") state = "guest";
      if (data === "take" && state === "owner") {
        state = "guest";
        lost();
      }
    };
    channel.postMessage(force ? "take" : "who");
    setTimeout(() => {
      if (state === "asking" || force) state = "owner";
      resolve(state === "owner");
    }, ANSWER);
  });
}
