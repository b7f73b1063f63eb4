// How the document is set: size of the letters and length of the lines, kept in the browser.
import { byId } from "./dom.js";

const SIZES = ["small", "normal", "large", "larger", "largest"];
const USUAL = { size: "normal", width: "normal" };

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
  apply();
}
