// What the dashboard says, in plain words. Pure: figures in, sentences out.

import { nearest, number } from "../../site/numbers.js";
import { gettext, ngettext, pgettext } from "../../site/words.js";

/** @param {number} seconds */
export function ago(seconds) {
  if (seconds < 90) return `${number(seconds)} s`;
  if (seconds < 90 * 60) return `${number(seconds / 60)} min`;
  return ngettext("{count} hour", "{count} hours", nearest(seconds / 3600, 0));
}

/** @type {Record<string, string>} */
const STATUS = {
  open: gettext("live"),
  draft: pgettext("campaign", "draft"),
  paused: pgettext("campaign", "paused"),
  closed: pgettext("campaign", "closed"),
};

/** @param {number} judgment @param {number | null | undefined} age */
function lastWords(judgment, age) {
  if (!judgment) return gettext("no judgment yet");
  const said = gettext("log entry {number}", { number: number(judgment) });
  return age == null ? said : gettext("{judgment}, {time} ago", { judgment: said, time: ago(age) });
}

/** @param {Omit<Live, "heard" | "at"> & { age?: number | null }} live */
export function liveWords({ connected, stalled, judgment, age, status, applied, silent }) {
  const last = lastWords(judgment, age);
  if (connected && stalled) {
    const still = gettext("standing still at log entry {number}", { number: number(applied ?? judgment) });
    if (silent == null) return still;
    const worker = gettext("worker silent for {time}", { time: ago(silent) });
    return `${still} · ${worker}`;
  }
  if (!connected) return `${gettext("not live, trying again")} · ${last}`;
  return `${STATUS[status ?? ""] ?? status} · ${last}`;
}

const KEPT = gettext("Assessors can continue, and every judgment is kept. But the next document no longer depends on the latest judgments, and score ranges are not updated.");

/**
 * What does not answer, what it means for the assessors, and what to do; empty when all is well.
 * @param {Health | null} health
 */
export function troubles(health) {
  if (!health) {
    return [
      {
        what: gettext("The server does not answer."),
        means: gettext("Assessors go on with the documents at hand; their judgments wait in the browser."),
        todo: gettext("This page tries again every few seconds. If it stays so, start the web server again."),
      },
    ];
  }
  const said = [];
  if (health.database === "down") {
    said.push({
      what: gettext("The database does not answer."),
      means: gettext("Until then, judgments wait in the assessors’ browsers, and no one can sign in."),
      todo: gettext("See whether Postgres runs and has room on its disk; the rest comes back by itself."),
    });
    return said;
  }
  if (health.broker === "down") {
    said.push({
      what: gettext("The broker does not answer."),
      means: KEPT,
      todo: gettext("See whether Redis runs; the worker then catches up by itself."),
    });
  }
  if (health.worker === "down") {
    const { worker_heard: heard } = health;
    const what = heard == null ? gettext("No worker has reported yet.") : gettext("The worker has not reported for {time}.", { time: ago(heard) });
    const todo = gettext("Check that the Celery worker and beat are running and start them if not. They catch up automatically.");
    // Without the broker it could not be heard.
    if (health.broker !== "down") said.push({ what, means: KEPT, todo });
  }
  if (health.stalled && !said.length) {
    const todo = gettext("If this lasts longer than a large campaign takes to be computed, restart the worker.");
    said.push({ what: gettext("The worker does not compute this campaign."), means: KEPT, todo });
  }
  return said;
}

/**
 * What stands above everything else, as the figures below it are not those of the log; empty when all is well.
 * @param {Health | null} health
 */
export function noticeWords(health) {
  if (!health?.stalled) return troubles(health)[0]?.what ?? "";
  return ngettext(
    "The figures lack the latest {count} log entry: the worker has computed nothing since.",
    "The figures lack the latest {count} log entries: the worker has computed nothing since.",
    health.head - health.applied,
  );
}

/** @param {Health | null} health */
export function lagWords(health) {
  const lag = health ? health.head - health.applied : 0;
  return lag > 0 ? ngettext("Score ranges are {count} judgment behind.", "Score ranges are {count} judgments behind.", lag) : "";
}

/**
 * How far queues were behind when they served.
 * @param {Serving} serving
 */
export function servingWords({ queue_age_median: median, queue_age_high: high, served, aged }) {
  if (median != null) {
    return ngettext(
      "When queues served, they lacked {count} judgment (median), {high} at the 95th percentile.",
      "When queues served, they lacked {count} judgments (median), {high} at the 95th percentile.",
      median,
      { high },
    );
  }
  if (!served) return "";
  const counts = { aged: number(aged), served: number(served) };
  return gettext("Judgments that queues lacked: –, measured for only {aged} of {served} documents.", counts);
}
