// For qrels with other grades than the campaign's: what each of their grades becomes, or a scale made of them.

import { html } from "../../site/elements.js";
import { gettext } from "../../site/words.js";

const LEFT_OUT = "none";

export class GradeChoice {
  /** @param {OtherGrades} other @param {string} file */
  constructor({ grades, scale, obstacle }, file) {
    this.selects = new Map(grades.map(({ grade, suggested }) => [grade, chosen(grade, suggested, scale)]));
    this.adopt = html("input", { type: "checkbox" });
    this.adopt.addEventListener("change", () => {
      for (const select of this.selects.values()) select.disabled = this.adopt.checked;
    });
    const rows = [...this.selects].map(([grade, select]) => html("label", {}, gettext("Grade {grade} becomes", { grade }), " ", select));
    const use = obstacle
      ? html("p", { class: "note" }, gettext("The file’s grades cannot be used: {why}.", { why: obstacle }))
      : html("label", { class: "choice" }, this.adopt, html("span", {}, gettext("Use the file’s grades: they become the campaign’s scale")));
    const words = gettext("{file} has other grades than the campaign", { file });
    this.element = html("div", { class: "grade-choice", role: "group", "aria-label": words }, html("p", {}, `${words}.`), html("div", { class: "row" }, ...rows), use);
  }

  /** @returns {Record<string, string | boolean>} */
  fields() {
    if (this.adopt.checked) return { use_grades: true };
    return { map: [...this.selects].map(([grade, select]) => `${grade}=${select.value}`).join(",") };
  }
}

/** @param {number} grade @param {number | null} suggested @param {number[]} scale */
function chosen(grade, suggested, scale) {
  const select = html("select", { "aria-label": gettext("Grade {grade} becomes", { grade }) });
  const options = [...scale.map((own) => [String(own), String(own)]), [LEFT_OUT, gettext("left out")]];
  select.append(...options.map(([value, words]) => html("option", { value }, words)));
  select.value = suggested === null ? LEFT_OUT : String(suggested);
  return select;
}
