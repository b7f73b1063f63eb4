// What the changes do that are not saved yet: of all sentences, those about fields that differ from what was loaded.

/** @param {string[]} names @param {string} name */
const touches = (names, name) => names.some((one) => (one === "." ? name.includes(".") : one === name));

/**
 * The form's values by field; a field of several rows gives one text.
 * @param {HTMLFormElement} form
 */
function values(form) {
  const found = new Map();
  for (const [name, value] of new FormData(form)) found.set(name, `${found.get(name) ?? ""}\n${value}`);
  return found;
}

/** @param {HTMLFormElement | null} form @param {HTMLElement | null} panel */
export function showEffects(form, panel) {
  if (!form || !panel) return;
  const loaded = values(form);
  const show = () => {
    const now = values(form);
    const names = new Set([...loaded.keys(), ...now.keys()]);
    const changed = [...names].filter((name) => loaded.get(name) !== now.get(name));
    for (const line of panel.querySelectorAll("[data-of]")) {
      const of = (line.dataset.of ?? "").split(" ");
      line.hidden = !changed.some((name) => touches(of, name));
    }
    panel.hidden = !panel.querySelector("[data-of]:not([hidden])");
  };
  form.addEventListener("input", show);
  form.addEventListener("change", show);
  // Rows of the scale come and go by a click.
  form.addEventListener("click", () => queueMicrotask(show));
  show();
}
