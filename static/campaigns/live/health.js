// How the back office does, in plain words.

import { html } from "../../site/elements.js";
import { lagWords, noticeWords, servingWords, troubles } from "./words.js";
import { gettext } from "../../site/words.js";

const WELL = gettext("Worker, broker and database are up. Document order updates after every judgment.");
/** @param {string} id */
const at = (id) => document.getElementById(id);

/**
 * Writes only what differs, so that nothing flickers or is read out again.
 * @param {Element | null} element
 * @param {string} text
 */
function say(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/** @param {Health | null} health */
export function showHealth(health) {
  const wrong = troubles(health);
  const lag = lagWords(health);
  const lines = wrong.length
    ? wrong.map(({ what, means, todo }) =>
        html("p", { class: "trouble" }, html("strong", {}, what), ` ${means} `, html("em", {}, todo)),
      )
    : [html("p", { class: "soft" }, WELL)];
  if (lag) lines.push(html("p", { class: "soft" }, lag));
  const panel = at("health");
  const said = lines.map((line) => line.textContent).join(" ");
  // A live region: the same words again must not be read out again.
  if (panel.dataset.said !== said) panel.replaceChildren(...lines);
  panel.dataset.said = said;
  const notice = at("stalled");
  say(notice.firstElementChild, noticeWords(health));
  notice.hidden = !notice.textContent.trim();
  notice.className = notice.hidden ? "" : "notice bad";
  if (health?.serving) say(at("serving"), servingWords(health.serving));
}
