// Parts of the page that the server writes: they come with the stream, or are fetched where there is none.

const place = (name) => document.querySelector(`[data-part="${name}"]`);

export function showPart({ name, html }) {
  const part = place(name);
  // As htmx does it for what it fetches: focus follows by ids, and the page hears of it.
  if (part) globalThis.htmx.swap(part, html, { swapStyle: "innerHTML" });
}

export function fetchParts() {
  for (const part of document.querySelectorAll("[data-part]")) part.dispatchEvent(new Event("again"));
}
