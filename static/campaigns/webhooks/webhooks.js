// The log looks again by itself while something is on its way; not under the eyes of a reader.

addEventListener("htmx:beforeRequest", (event) => {
  const log = event.target;
  if (log instanceof Element && log.id === "deliveries" && log.querySelector("details[open]")) event.preventDefault();
});
