/**
 * Rows of a scale that can be added and taken away; the server checks what they say.
 * @param {HTMLElement} rows
 * @param {HTMLElement} button
 */
export function addGrades(rows, button) {
  /** @param {HTMLElement} row */
  function prepare(row) {
    const remove = row.querySelector("[data-remove]");
    remove.hidden = false;
    remove.addEventListener("click", () => {
      if (rows.children.length > 2) row.remove();
    });
    const grade = row.querySelector("[name=grade]");
    grade.addEventListener("input", () => (row.dataset.grade = grade.value));
  }

  button.hidden = false;
  button.addEventListener("click", () => {
    const row = /** @type {HTMLElement} */ (rows.lastElementChild?.cloneNode(true));
    const grades = [...rows.querySelectorAll("[name=grade]")].map((input) => Number(input.value) || 0);
    const next = 1 + Math.max(...grades);
    const values = { grade: next, label: "", gain: 1, key: next < 10 ? next : "", definition: "", note: "" };
    for (const [name, value] of Object.entries(values)) row.querySelector(`[name=${name}]`).value = String(value);
    row.dataset.grade = String(next);
    prepare(row);
    rows.append(row);
    row.querySelector("[name=label]").focus();
  });
  /** @type {HTMLElement[]} */ ([...rows.children]).forEach(prepare);
}
