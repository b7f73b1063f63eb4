import { Meanwhile } from "../live/meanwhile.js";
import { around } from "../../site/elements.js";
import { showEffects } from "./effects.js";
import { addGrades } from "./grades.js";
import { followPersistence } from "./persistence.js";
import { Steps } from "./steps.js";
import { Uploads } from "./files/uploads.js";

const list = document.querySelector(".steps");
// An archived campaign takes no files and has no forms.
const files = document.getElementById("files");
if (files) new Uploads(files);
const steps = new Steps(list, list.querySelector("[name=csrfmiddlewaretoken]")?.value);

/** @param {HTMLElement} within */
function prepare(within) {
  followPersistence(within);
  const rows = within.querySelector("#grade-rows");
  if (rows) addGrades(rows, within.querySelector("#add-grade"));
  for (const form of within.matches("form") ? [within] : within.querySelectorAll("form.settings")) {
    showEffects(form, form.querySelector(".effects"));
  }
}

prepare(list);
new Meanwhile().listen();
// A form comes again when it is saved, or with what is wrong in it.
list.addEventListener("htmx:load", (event) => {
  const form = event.target;
  if (form instanceof HTMLElement && form.matches("form.settings")) prepare(form);
});
document.body.addEventListener("saved-step", (event) => steps.open(event.detail.next, { focus: true }));

addEventListener("click", (event) => {
  const link = around(event, "a[data-step]");
  if (!link) return;
  event.preventDefault();
  steps.open(link.dataset.step, { focus: true });
});

// A file that misses the zone must not replace the page.
for (const kind of ["dragover", "drop"]) {
  addEventListener(kind, (event) => around(event, ".dropzone") || event.preventDefault());
}

addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm ?? around(event, "form")?.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});
