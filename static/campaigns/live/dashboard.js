import { IntervalPicture } from "../picture/intervals.js";
import { atMostEvery } from "../throttle.js";
import { Figures } from "./figures.js";
import { Meanwhile } from "./meanwhile.js";
import { read, readHealth, repeatedly } from "./reading.js";
import { Marked } from "./marked.js";
import { showAlone, showHealth, showJudged, showPairs } from "./side.js";
import { Stream } from "./stream.js";
import { liveWords } from "./words.js";

const STATUS_SECONDS = 5;
const FALLBACK_SECONDS = 5;

const page = document.getElementById("dashboard");
const api = page.dataset.api;
const budget = Number(page.dataset.budget) || 0;
const first = JSON.parse(document.getElementById("intervals").textContent);
const figures = new Figures(first);
const live = { connected: false, judgment: first.as_of, at: null, status: first.status };
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
  if (kind === "judgment") {
    live.judgment = data.sequence;
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
  live.connected = connected;
  showLive();
}

async function askHealth() {
  const health = await readHealth(`${api}status/`);
  showHealth(health);
  if (health?.campaign) live.status = health.campaign;
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
new Stream(`${api}events/`, { heard, changed });
repeatedly(STATUS_SECONDS, askHealth);
repeatedly(FALLBACK_SECONDS, () => (live.connected ? null : reread()));
setInterval(showLive, 1000);
