// The places of a campaign over any of its pages: Ctrl-K, or the link in the rail, which leads to them as a page.

const LINKS = ".places a";
/** The number of the latest question: an answer to an earlier one is not shown. */
let latest = 0;

/** @param {HTMLDialogElement} dialog @param {string} address */
async function list(dialog, address) {
  latest += 1;
  const asked = latest;
  const query = new URLSearchParams({ q: dialog.querySelector("input")?.value ?? "" });
  const reply = await fetch(`${address}?${query}`, { headers: { "HX-Request": "true" } });
  const found = new DOMParser().parseFromString(await reply.text(), "text/html").querySelector(".places");
  if (reply.ok && found && asked === latest) {
    dialog.querySelector(".places")?.replaceWith(document.importNode(found, true));
  }
}

/** @param {HTMLAnchorElement} link */
function made(link) {
  const dialog = document.createElement("dialog");
  dialog.id = "places-dialog";
  const field = document.createElement("input");
  // Escape would clear a search field before it closes the dialog.
  field.type = "text";
  field.autocomplete = "off";
  field.maxLength = 100;
  field.placeholder = link.dataset.hint ?? "";
  field.setAttribute("aria-label", field.placeholder);
  dialog.setAttribute("aria-label", field.placeholder);
  const places = document.createElement("div");
  places.className = "places";
  dialog.append(field, places);
  field.addEventListener("input", () => list(dialog, link.href));
  dialog.addEventListener("keydown", (event) => move(dialog, event));
  // Outside of what it holds.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  return dialog;
}

/**
 * Arrows go through the field and the links; Enter in the field follows the first one.
 * @param {HTMLDialogElement} dialog
 * @param {KeyboardEvent} event
 */
function move(dialog, event) {
  const stops = [dialog.querySelector("input"), ...dialog.querySelectorAll(LINKS)];
  const at = stops.findIndex((stop) => stop === document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
  const stop = to === undefined ? null : stops.at(to % stops.length);
  if (stop instanceof HTMLElement) stop.focus();
  else if (event.key === "Enter" && at === 0 && stops[1] instanceof HTMLElement) stops[1].click();
  else return;
  event.preventDefault();
}

/** @param {HTMLAnchorElement} link */
export function openPlaces(link) {
  const known = document.getElementById("places-dialog");
  const dialog = known instanceof HTMLDialogElement ? known : made(link);
  if (dialog.open) return;
  const rail = link.closest("[popover]");
  if (rail instanceof HTMLElement && rail.matches(":popover-open")) rail.hidePopover();
  dialog.showModal();
  dialog.querySelector("input")?.select();
  list(dialog, link.href).catch(() => location.assign(link.href));
}

const link = document.querySelector("a.go-to");

if (link instanceof HTMLAnchorElement) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openPlaces(link);
  });
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    openPlaces(link);
  });
}
