import "./method.js";

const why = document.getElementById("why");

/** Mark whose panel it is, and on a phone, where the panel is below the queue, lead there. */
document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target !== why) return;
  for (const link of document.querySelectorAll(".queue [aria-current]")) link.removeAttribute("aria-current");
  const link = event.detail.requestConfig?.elt;
  if (link?.id) link.setAttribute("aria-current", "true");
  const { top } = why.getBoundingClientRect();
  if (top > innerHeight - 100 || top < 0) why.scrollIntoView();
});
