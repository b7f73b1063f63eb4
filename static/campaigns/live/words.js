// What the dashboard says, in plain words. Pure: figures in, sentences out.

import { count, counted } from "../picture/scale.js";

export function ago(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return counted(Math.round(seconds / 3600), "hour");
}

export function liveWords({ connected, judgment, age, status }) {
  const when = age == null ? "" : `, ${ago(age)} ago`;
  const last = judgment ? `judgment ${count(judgment)}${when}` : "no judgment yet";
  if (!connected) return `not live, trying again · ${last}`;
  return status === "open" ? `live · ${last}` : `${status} · ${last}`;
}

const KEPT = "Assessors can go on, and every judgment is kept; but what comes next no longer follows from the latest judgments, and intervals stand still.";

/** What does not answer, what it means for the assessors, and what to do; empty when all is well. */
export function troubles(health) {
  if (!health) {
    return [
      {
        what: "The server does not answer.",
        means: "Assessors go on with the documents at hand; their judgments wait in the browser.",
        todo: "This page tries again every few seconds. If it stays so, start the web server again.",
      },
    ];
  }
  const said = [];
  if (health.database === "down") {
    said.push({
      what: "The database does not answer.",
      means: "Judgments wait in the assessors’ browsers until it does, and nobody can sign in.",
      todo: "See whether Postgres runs and has room on its disk; the rest comes back by itself.",
    });
    return said;
  }
  if (health.broker === "down") {
    said.push({
      what: "The broker does not answer.",
      means: KEPT,
      todo: "See whether Redis runs; the worker then catches up by itself.",
    });
  }
  if (health.worker === "down") {
    const { worker_heard: heard } = health;
    const what = heard == null ? "No worker has been heard of yet." : `The worker has not been heard of for ${ago(heard)}.`;
    const todo = "See whether a worker and its beat run, and start them; they catch up by themselves.";
    // Without the broker nobody could hear it.
    if (health.broker !== "down") said.push({ what, means: KEPT, todo });
  }
  return said;
}

export function lagWords(health) {
  const lag = health ? health.head - health.applied : 0;
  return lag > 0 ? `The intervals are ${counted(lag, "judgment")} behind.` : "";
}

export function exactWords(share) {
  if (share == null) return "";
  const percent = Math.floor(share * 1000) / 10;
  return `${percent} % of documents served were exact`;
}

export function peopleWords(judging) {
  if (judging == null) return "";
  return judging ? `${counted(judging, "person", "people")} judging now` : "nobody judging now";
}

const ALONE =
  "stands alone: its base is above the top of every other run. The judging has decided which run is best.";
const UNKNOWN = "Nothing is known yet: every score can still be anything.";

/** Whether the best run stands alone: its base above the top of every other run. */
export function aloneWords(leader, rivals, runs) {
  if (!leader) return { figure: "–", words: "There are no runs yet." };
  if (runs === 1) return { figure: leader.run, words: "There is no other run to compare with." };
  if (rivals.length === 0) return { figure: leader.run, words: ALONE };
  const leads = `${leader.run} leads. It stands alone once its base is above every other top. Still open:`;
  return {
    figure: counted(rivals.length + 1, "run"),
    aside: "can still be best",
    words: leader.base > 0 ? leads : UNKNOWN,
  };
}
