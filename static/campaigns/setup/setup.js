import { Uploads } from "./uploads.js";

const { api } = document.querySelector(".steps").dataset;
for (const form of document.querySelectorAll(".upload")) new Uploads(form, api);

// A file that misses the zone must not replace the page.
for (const kind of ["dragover", "drop"]) {
  addEventListener(kind, (event) => event.target.closest?.(".dropzone") || event.preventDefault());
}

addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});
