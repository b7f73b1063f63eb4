// A key presses the button or follows the link that names it; never while one types, or by repeat.

/** @param {KeyboardEvent} event */
function named(event) {
  const digit = event.code.match(/^(?:Digit|Numpad)(\d)$/)?.[1];
  const names = [event.key.toLowerCase(), digit].filter(Boolean);
  const buttons = [...document.querySelectorAll("[data-key]")];
  // A page's own key goes before the frame's.
  return buttons.findLast((button) => names.includes(button.dataset.key));
}

let sent = false;

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || event.isComposing || sent) return;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
  if (document.querySelector("dialog[open]")) return;
  const button = named(event);
  if (!button) return;
  event.preventDefault();
  sent = true;
  button.click();
});

// Back from the browser's memory, the page takes keys again.
addEventListener("pageshow", () => {
  sent = false;
});
