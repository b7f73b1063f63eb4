// "Cannot judge": a dialog whose reasons are chosen by number, arrow keys or a click.
import { byId } from "../../../site/elements.js";

export class Reasons {
  #dialog = byId("cannot");

  /** @param {{ choose: (reason: string) => void }} parts */
  constructor({ choose }) {
    const buttons = [...this.#dialog.querySelectorAll("[data-reason]")];
    for (const button of buttons) {
      button.addEventListener("click", () => {
        this.#dialog.close();
        choose(button.dataset.reason ?? "");
      });
    }
    this.#dialog.addEventListener("keydown", (event) => this.#key(event, buttons));
  }

  open() {
    this.#dialog.showModal();
  }

  /** @param {KeyboardEvent} event @param {HTMLElement[]} buttons */
  #key(event, buttons) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const numbered = buttons[Number(event.key) - 1];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    if (!numbered && !step) return;
    event.preventDefault();
    if (numbered) {
      numbered.click();
      return;
    }
    const at = buttons.findIndex((button) => button === document.activeElement);
    buttons[(at + step + buttons.length) % buttons.length].focus();
  }
}
