import { IntervalPicture } from "../picture/intervals.js";
import { atMostEvery } from "../throttle.js";
import { Figures } from "./figures.js";
import { Meanwhile } from "./meanwhile.js";
import { read, readHealth, repeatedly } from "./reading.js";
import { Marked } from "./marked.js";
import { fetchParts, showPart } from "./parts.js";
import { showAlone, showHealth, showJudged, showPairs } from "./side.js";
import { Stream } from "./stream.js";
import { liveWords } from "./words.js";

// The stream tells everything. Only a page that hears nothing asks for itself.
const FALLBACK_SECONDS = 5;
const PARTS_SECONDS = 20;
const SILENT_SECONDS = 15;

const page = document.getElementById("dashboard");
const api = page.dataset.api;
const budget = Number(page.dataset.budget) || 0;
const first = JSON.parse(document.getElementById("intervals").textContent);
const figures = new Figures(first);
// `connected` is null until the stream has opened or failed; `told`: when it last said how things are.
const live = { connected: null, told: performance.now(), judgment: first.as_of, at: null, status: first.status };
const meanwhile = new Meanwhile();
const root = document.getElementById("picture");
const picture = root && new IntervalPicture(root, { table: document.getElementById("picture-table") });

const controls = document.getElementById("picture-controls");
const marked = picture && new Marked(picture, controls, page.dataset);

const show = atMostEvery(300, () => {
  const runs = figures.list();
  picture?.load(runs);
  marked?.show(runs, figures.judged);
  showAlone(runs);
  showPairs(runs);
  showJudged(figures, budget);
});

function showLive() {
  const age = live.at === null ? null : (performance.now() - live.at) / 1000;
  const words = liveWords({ ...live, age });
  const place = document.getElementById("live-words");
  if (place.textContent !== words) place.textContent = words;
  place.parentElement.dataset.live = live.connected && live.status === "open" ? "on" : "off";
}

async function reread() {
  const intervals = await read(`${api}intervals/`);
  if (!intervals) return;
  figures.replace(intervals);
  live.judgment = Math.max(live.judgment, intervals.as_of);
  // A page that was empty has no picture to fill: it is made anew.
  if (!picture && intervals.runs.length) location.reload();
  show();
}

function heard(kind, data) {
  if (kind === "health") {
    live.told = performance.now();
    return learn(data);
  }
  if (kind === "part") return showPart(data);
  if (kind === "curves") return marked?.tell(data);
  if (kind === "judgment") {
    live.judgment = Math.max(live.judgment, data.sequence);
    live.at = performance.now();
    Object.assign(figures, { judged: data.judged, relevant: data.relevant });
  } else if (kind === "intervals") {
    if (!figures.merge(data)) reread();
  } else if (kind === "settings") {
    meanwhile.heard(data);
  } else if (kind === "runs") {
    reread();
  } else if (data.campaign) {
    live.status = data.campaign;
  }
  showLive();
  show();
}

function changed(connected) {
  // What happened between the page's making and the stream's opening is in a fresh reading.
  if (connected && !live.connected) reread();
  if (!connected && live.connected !== false) askHealth();
  if (!connected) marked?.tell(null);
  live.connected = connected;
  showLive();
}

function learn(health) {
  showHealth(health);
  if (health?.campaign) live.status = health.campaign;
}

async function askHealth() {
  learn(await readHealth(`${api}status/`));
}

/** Acts where the stream is broken, or has long said nothing. */
function unlessTold(act) {
  const silent = performance.now() - live.told > 1000 * SILENT_SECONDS;
  return live.connected === false || silent ? act() : null;
}

document.body.addEventListener("htmx:afterSwap", show);

// A list that somebody opened stays open when newer figures come. Focus follows by the summary's id.
const stop = document.querySelector(".stop");
let opened = false;
stop.addEventListener("toggle", ({ target }) => (opened = target.open), true);
stop.addEventListener("htmx:afterSwap", () => {
  const list = stop.querySelector("details");
  if (list) list.open = opened;
});

show();
new Stream(`${api}events/?page=true`, { heard, changed });
repeatedly(FALLBACK_SECONDS, () => unlessTold(askHealth));
repeatedly(FALLBACK_SECONDS, () => unlessTold(reread));
repeatedly(PARTS_SECONDS, () => unlessTold(fetchParts));
setInterval(showLive, 1000);
