// Only the options of the chosen method; without scripts all are there, under their methods' names.
const select = document.getElementById("topic-method");

function follow() {
  for (const fieldset of document.querySelectorAll("[data-of]")) fieldset.hidden = fieldset.dataset.of !== select.value;
}

if (select) {
  for (const legend of document.querySelectorAll("[data-of] legend")) legend.className = "visually-hidden";
  select.addEventListener("change", follow);
  follow();
}
