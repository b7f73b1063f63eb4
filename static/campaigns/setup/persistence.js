// The field for p, its slider, and the two pictures of what p means.

import { depthPicture, depthWords } from "./depth.js";
import { readerPicture, readerWords } from "./persistence_picture.js";

/** @param {HTMLElement} within */
export function followPersistence(within) {
  /** @param {string} id */
  const at = (id) => within.querySelector(`#${id}`);
  /** @param {string} id */
  const field = (id) => /** @type {HTMLInputElement} */ (at(id));
  if (!at("p")) return;
  const reader = readerPicture();
  at("reader-picture").append(reader.picture);
  const depth = depthPicture();
  at("depth-picture").append(depth.picture);
  const update = () => {
    const p = Number(field("p").value);
    const drawable = p > 0 && p < 1;
    at("reader").hidden = !drawable;
    at("judged").hidden = !drawable;
    if (!drawable) return;
    const judged = Number(field("judged-depth").value);
    field("p-slider").value = String(p);
    reader.show(p);
    depth.show(p, judged);
    at("reader-words").textContent = readerWords(p);
    at("judged-words").textContent = depthWords(p, judged);
    at("judged-depth").setAttribute("aria-valuetext", depthWords(p, judged));
  };
  at("p").addEventListener("input", update);
  at("judged-depth").addEventListener("input", update);
  at("p-slider").addEventListener("input", () => {
    field("p").value = field("p-slider").value;
    update();
  });
  at("p-slider").hidden = false;
  update();
}
