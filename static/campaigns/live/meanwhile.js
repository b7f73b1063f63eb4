// Another organiser has changed settings while this page shows the old ones.

import { gettext } from "../../site/words.js";
import { Stream } from "./stream.js";

export class Meanwhile {
  /** @param {HTMLElement} place */
  constructor(place = document.getElementById("meanwhile")) {
    this.place = place;
    this.names = new Set();
  }

  /** @param {{ by: string }} change */
  heard({ by }) {
    // What one does oneself is on the page already, or in another window of one's own.
    if (by === this.place.dataset.me) return;
    this.names.add(by);
    const name = [...this.names].join(", ");
    this.place.querySelector("[data-words]").textContent = gettext("{name} has just changed the settings.", { name });
    this.place.querySelector(".notice").hidden = false;
  }

  /** For pages that follow nothing else. */
  listen() {
    /** @param {string} kind @param {any} data */
    const heard = (kind, data) => kind === "settings" && this.heard(data);
    new Stream(this.place.dataset.events ?? "", { heard, changed: () => {} });
  }
}
