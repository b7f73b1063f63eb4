// One run at a time is in the tab order; the arrow keys move on from it, in the order on screen.

const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

export function walkByKeyboard(list, order, pin) {
  let current = null;

  function enter(element, focus) {
    if (current) current.tabIndex = -1;
    current = element;
    if (!current) return;
    current.tabIndex = 0;
    if (focus) current.focus();
  }

  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const elements = order();
    const at = elements.indexOf(document.activeElement);
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") pin(elements[at]);
    else if (event.key === "Home") enter(elements[0], true);
    else if (event.key === "End") enter(elements.at(-1), true);
    else if (event.key in STEPS) {
      const to = Math.min(elements.length - 1, Math.max(0, at + STEPS[event.key]));
      enter(elements[to], true);
    } else return;
    event.preventDefault();
  });
  list.addEventListener("focusin", (event) => {
    const row = event.target.closest("[role=option]");
    if (row && row !== current) enter(row, false);
  });
  list.addEventListener("click", (event) => {
    const row = event.target.closest("[role=option]");
    if (row) pin(row);
  });

  /** After a redraw: somebody must stay reachable by Tab. */
  return function settle() {
    const elements = order();
    if (!elements.includes(current)) enter(elements[0] ?? null, false);
  };
}
