import { read } from "../live/reading.js";
import { ScoreCurves } from "./scores.js";

const part = document.querySelector("[data-curves]");

async function draw() {
  const found = await read(part.dataset.curves ?? "");
  // One point is no curve: nothing was judged yet.
  if (!found || found.judged.length < 2 || !found.runs.length) return;
  part.hidden = false;
  new ScoreCurves(document.getElementById("score-curve")).show(found);
}

draw();
