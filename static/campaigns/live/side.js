// The column beside the picture.

import { html } from "../dom.js";
import { best, pairsAmongBest, rivals } from "../picture/order.js";
import { aloneWords, lagWords, peopleWords, servingWords, troubles } from "./words.js";
import { number } from "../../site/numbers.js";
import { gettext, ngettext } from "../../site/words.js";

const WELL = gettext("Assessors get the best document after each judgment.");
const MOST_RIVALS = 3;
const at = (id) => document.getElementById(id);

/** Writes only what differs, so that nothing flickers or is read out anew. */
function say(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

export function showAlone(runs) {
  const leader = best(runs);
  const others = rivals(runs);
  const { figure, aside, words } = aloneWords(leader, others, runs.length);
  at("alone-figure").replaceChildren(figure, ...(aside ? [" ", html("small", {}, aside)] : []));
  say(at("alone-words"), words);
  const named = leader?.base > 0 ? others.slice(0, MOST_RIVALS) : [];
  const chips = named.map((run) => html("li", { class: "chip" }, gettext("vs {run}", { run: run.run })));
  at("alone-rivals").replaceChildren(...chips);
  at("alone").hidden = !runs.length;
}

export function showPairs(runs) {
  const { among, decided, open } = pairsAmongBest(runs);
  say(at("pairs-among"), ngettext("Among the {count} best", "Among the {count} best", among));
  say(at("pairs-decided"), number(decided));
  say(at("pairs-open"), number(open.length));
  at("pairs").hidden = runs.length < 2;
}

function ofGoal(goal, budget) {
  return budget ? gettext("of {goal}", { goal }) : gettext("of {goal} in the pool", { goal });
}

export function showJudged({ judged, relevant }, budget) {
  const pool = Number(at("progress-words")?.dataset.pool ?? 0);
  const goal = budget || pool;
  say(at("judged"), number(judged));
  say(at("judged-of"), goal ? ofGoal(number(goal), budget) : "");
  say(at("relevant"), ngettext("{count} relevant", "{count} relevant", relevant));
  at("judged-bar").max = goal || 1;
  at("judged-bar").value = judged;
}

export function showHealth(health) {
  const wrong = troubles(health);
  const lag = lagWords(health);
  const lines = wrong.length
    ? wrong.map(({ what, means, todo }) =>
        html("p", { class: "trouble" }, html("strong", {}, what), ` ${means} `, html("em", {}, todo)),
      )
    : [html("p", {}, gettext("Worker, broker and database are up.")), html("p", { class: "soft" }, WELL)];
  if (lag) lines.push(html("p", { class: "soft" }, lag));
  const panel = at("health");
  const said = lines.map((line) => line.textContent).join(" ");
  // A live region: the same words again must not be read out again.
  if (panel.dataset.said !== said) panel.replaceChildren(...lines);
  panel.dataset.said = said;
  if (!health) return;
  say(at("serving"), servingWords(health.serving));
  say(at("judging-now"), peopleWords(health.judging_now));
}

