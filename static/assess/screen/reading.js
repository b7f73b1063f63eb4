// How one reads and judges, kept in the browser: size of the letters, length of the lines, and whether single
// keys judge (who dictates, or trembles, may want none that act by themselves).
import { byId } from "./dom.js";

const SIZES = ["small", "normal", "large", "larger", "largest"];
const USUAL = { size: "normal", width: "normal", keys: true };

function kept() {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem("reading")) };
  } catch {
    return { ...USUAL };
  }
}

function keep(choice) {
  try {
    localStorage.setItem("reading", JSON.stringify(choice));
  } catch {
    // it holds until the page is left
  }
}

export function readingControls() {
  const paper = byId("paper");
  const choice = kept();
  const apply = () => {
    paper.dataset.size = choice.size;
    paper.dataset.width = choice.width;
    const place = SIZES.indexOf(choice.size);
    byId("smaller").disabled = place <= 0;
    byId("larger").disabled = place === SIZES.length - 1;
    for (const radio of document.querySelectorAll("[name=width]")) radio.checked = radio.value === choice.width;
    document.body.classList.toggle("no-keys", !choice.keys);
    byId("single-keys").checked = choice.keys;
    keep(choice);
  };
  const step = (by) => {
    choice.size = SIZES[SIZES.indexOf(choice.size) + by] ?? choice.size;
    apply();
  };
  byId("smaller").addEventListener("click", () => step(-1));
  byId("larger").addEventListener("click", () => step(1));
  for (const radio of document.querySelectorAll("[name=width]")) {
    radio.addEventListener("change", () => {
      choice.width = radio.value;
      apply();
    });
  }
  byId("single-keys").addEventListener("change", ({ target }) => {
    choice.keys = target.checked;
    apply();
  });
  apply();
}
