// What a grade means, above the grades: while the pointer or the focus is on its button, or after a long press.
import { byId } from "../../../site/elements.js";

const LONG = 500;

/** @param {HTMLElement[]} buttons */
export function showDefinitions(buttons) {
  for (const button of buttons) {
    const words = byId(button.getAttribute("aria-describedby") ?? "");
    if (words) connect(button, words);
  }
}

/** @param {HTMLElement} button @param {HTMLElement} words */
function connect(button, words) {
  let timer = 0;
  let held = false;
  const show = () => { words.hidden = false; };
  const hide = () => {
    clearTimeout(timer);
    words.hidden = true;
  };
  button.addEventListener("pointerenter", ({ pointerType }) => pointerType !== "touch" && show());
  button.addEventListener("focus", () => button.matches(":focus-visible") && show());
  for (const sign of ["pointerleave", "pointercancel", "blur"]) button.addEventListener(sign, hide);
  button.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  button.addEventListener("pointerdown", ({ pointerType }) => {
    held = false;
    if (pointerType !== "touch") return;
    timer = setTimeout(() => {
      held = true;
      show();
    }, LONG);
  });
  button.addEventListener("pointerup", () => clearTimeout(timer));
  // A press that showed the definition gives no grade, and opens no menu of the browser.
  /** @param {Event} event */
  const stop = (event) => {
    if (!held) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  button.addEventListener("click", stop, { capture: true });
  button.addEventListener("contextmenu", stop);
}
