// Only the options of the chosen method; without scripts all are there, under their methods' names.
const select = document.getElementById("topic-method");
const options = [...document.querySelectorAll(".method-options")];

function follow() {
  for (const fieldset of options) fieldset.hidden = fieldset.dataset.of !== select.value;
}

if (select) {
  for (const legend of document.querySelectorAll(".method-options legend")) legend.className = "visually-hidden";
  select.addEventListener("change", follow);
  follow();
}
