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

/** Sentences about what does not answer; empty when all is well. */
export function troubles(health) {
  if (!health) return ["The server does not answer; this page tries again every few seconds."];
  const said = [];
  if (health.database === "down") said.push("The database does not answer; nobody can judge until it does.");
  if (health.broker === "down") {
    said.push("The broker does not answer; judgments are kept, and the intervals catch up when it is back.");
  }
  if (health.worker === "down") {
    const { worker_heard: heard } = health;
    const who = heard == null ? "No worker has been heard of yet" : `The worker has not been heard of for ${ago(heard)}`;
    said.push(`${who}; judging goes on from the last queue.`);
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
