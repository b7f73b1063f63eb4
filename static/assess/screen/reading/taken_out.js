// Pictures, scripts, forms and frames that a page held, if it shows nothing.
import { gettext, ngettext } from "../../../site/words.js";

const ELEMENT = /<(?:!--|(img|image|svg|canvas|script|form|input|textarea|select|iframe|frame|object|embed|video|audio)\b)/gi;
const PICTURES = ["img", "image", "svg", "canvas"];
const FORMS = ["form", "input", "textarea", "select"];
const FRAMES = ["iframe", "frame", "object", "embed"];

/**
 * True if safe HTML has neither a word nor a picture.
 * @param {string} rendered
 */
export function showsNothing(rendered) {
  const { body } = new DOMParser().parseFromString(rendered, "text/html");
  return !body.textContent.trim() && !body.querySelector("img[src], img[alt]:not([alt=''])");
}

/**
 * How often each element begins in a page, comments left out.
 * @param {string} source
 * @returns {Map<string, number>}
 */
export function elementCounts(source) {
  const counts = new Map();
  ELEMENT.lastIndex = 0;
  for (let found = ELEMENT.exec(source); found; found = ELEMENT.exec(source)) {
    const name = found[1]?.toLowerCase();
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
    else {
      const end = source.indexOf("-->", found.index);
      if (end < 0) break;
      ELEMENT.lastIndex = end;
    }
  }
  return counts;
}

/**
 * What was taken out of a page, each as a sentence's part.
 * @param {string} source
 * @returns {string[]}
 */
export function takenOut(source) {
  const counts = elementCounts(source);
  /** @param {string[]} names */
  const sum = (names) => names.reduce((total, name) => total + (counts.get(name) ?? 0), 0);
  const pictures = sum(PICTURES);
  return [
    pictures ? ngettext("{count} picture that is not stored", "{count} pictures that are not stored", pictures) : "",
    sum(FORMS) ? gettext("a form") : "",
    sum(FRAMES) ? gettext("a frame with another page") : "",
    sum(["video", "audio"]) ? gettext("a video or sound") : "",
    sum(["script"]) ? gettext("a script, which may have made the page") : "",
  ].filter(Boolean);
}
