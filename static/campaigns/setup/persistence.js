// The field for p, its slider, and the two pictures of what p means.

import { depthPicture, depthWords } from "./depth.js";
import { readerPicture, readerWords } from "./persistence_picture.js";

export function followPersistence(within) {
  const at = (id) => within.querySelector(`#${id}`);
  if (!at("p")) return;
  const reader = readerPicture();
  at("reader-picture").append(reader.picture);
  const depth = depthPicture();
  at("depth-picture").append(depth.picture);
  const update = () => {
    const p = Number(at("p").value);
    const drawable = p > 0 && p < 1;
    at("reader").hidden = !drawable;
    at("judged").hidden = !drawable;
    if (!drawable) return;
    const judged = Number(at("judged-depth").value);
    at("p-slider").value = p;
    reader.show(p);
    depth.show(p, judged);
    at("reader-words").textContent = readerWords(p);
    at("judged-words").textContent = depthWords(p, judged);
    at("judged-depth").setAttribute("aria-valuetext", depthWords(p, judged));
  };
  at("p").addEventListener("input", update);
  at("judged-depth").addEventListener("input", update);
  at("p-slider").addEventListener("input", () => {
    at("p").value = at("p-slider").value;
    update();
  });
  at("p-slider").hidden = false;
  update();
}
