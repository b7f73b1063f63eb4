import { Meanwhile } from "./meanwhile.js";
import { fetchOverview, Overview } from "./overview.js";
import { readHealth, repeatedly } from "./reading.js";
import { showHealth } from "./health.js";
import { Stream } from "./stream.js";
import { liveWords } from "./words.js";

// The stream tells everything. Only a page that hears nothing asks for itself.
const FALLBACK_SECONDS = 5;
const SILENT_SECONDS = 15;

const page = document.getElementById("dashboard");
const { api, topics, status, judgment } = page.dataset;
// `connected` is null until the stream has opened or failed; `heard`: when its last message came.
/** @type {Live} */
const live = { connected: null, stalled: false, heard: performance.now(), judgment: Number(judgment), at: null, status };
const meanwhile = new Meanwhile();
const controls = document.getElementById("picture-controls");
const overview = controls && new Overview(page, controls);

function showLive() {
  const age = live.at === null ? null : (performance.now() - live.at) / 1000;
  const words = liveWords({ ...live, age });
  const place = document.getElementById("live-words");
  if (place.textContent !== words) place.textContent = words;
  const state = /** @type {HTMLElement} */ (place.parentElement);
  state.dataset.live = live.connected && !live.stalled && live.status === "open" ? "on" : "off";
}

async function reread() {
  // A page that was empty has no panels to fill: it is loaded again.
  const html = await fetchOverview(page.dataset);
  if (html && overview) overview.show(html);
}

/** @param {string} kind @param {any} data */
function heard(kind, data) {
  if (kind === "health") {
    live.heard = performance.now();
    learn(data);
  } else if (kind === "panel") {
    if (data.stamps) overview?.stamp(data.stamps);
    else overview?.show(data.html, data.name);
  } else if (kind === "judgment") {
    live.judgment = Math.max(live.judgment, data.sequence);
    live.at = performance.now();
  } else if (kind === "settings") {
    meanwhile.heard(data);
  } else if (kind === "runs" && !overview) {
    location.reload();
  } else if (data.campaign) {
    live.status = data.campaign;
  }
  showLive();
}

/** @param {boolean} connected */
function changed(connected) {
  if (!connected && live.connected !== false) askHealth();
  live.connected = connected;
  showLive();
}

/** @param {Health | null} health */
function learn(health) {
  showHealth(health);
  live.stalled = Boolean(health?.stalled);
  live.applied = health?.applied;
  live.silent = health?.worker === "down" ? health.worker_heard : null;
  if (health?.campaign) live.status = health.campaign;
  showLive();
}

async function askHealth() {
  learn(await readHealth(`${api}status/`));
}

/**
 * Acts where the stream is broken, or has long said nothing.
 * @param {() => unknown} act
 */
function unlessTold(act) {
  const silent = performance.now() - live.heard > 1000 * SILENT_SECONDS;
  return live.connected === false || silent ? act() : null;
}

new Stream(`${api}events/?page=true&topics=${topics}`, { heard, changed });
repeatedly(FALLBACK_SECONDS, () => unlessTold(askHealth));
repeatedly(FALLBACK_SECONDS, () => unlessTold(reread));
setInterval(showLive, 1000);
