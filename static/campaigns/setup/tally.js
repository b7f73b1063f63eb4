// Of many files, how far they are: one bar for all of them.

import { ngettext } from "../../site/words.js";

export class Tally {
  constructor(element) {
    this.element = element;
    this.counts = { files: 0, taken: 0, refused: 0 };
  }

  expect(files) {
    if (this.waiting === 0) this.counts = { files: 0, taken: 0, refused: 0 };
    this.counts.files += files;
    this.show();
  }

  note(taken) {
    this.counts[taken ? "taken" : "refused"] += 1;
    this.show();
  }

  get waiting() {
    const { files, taken, refused } = this.counts;
    return files - taken - refused;
  }

  /** Whether a look at what the server has is due: at the end, and now and then before. */
  get due() {
    return this.waiting === 0 || this.counts.taken % 10 === 1;
  }

  words() {
    const { taken, refused } = this.counts;
    const parts = [
      ngettext("{count} taken", "{count} taken", taken),
      ngettext("{count} refused", "{count} refused", refused),
    ];
    if (this.waiting) parts.push(ngettext("{count} to go", "{count} to go", this.waiting));
    return parts.join(" · ");
  }

  show() {
    this.element.hidden = this.counts.files < 2;
    const bar = this.element.querySelector("progress");
    bar.hidden = this.waiting === 0;
    bar.max = this.counts.files;
    bar.value = this.counts.files - this.waiting;
    this.element.querySelector("[data-tally]").textContent = this.words();
  }
}
