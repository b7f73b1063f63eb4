// Words in the page's language: English stands in the sources, another comes with the page, for times without a network.

import { language, number } from "./numbers.js";

const CONTEXT = "\u0004";
const CATEGORIES = ["zero", "one", "two", "few", "many", "other"];

/** @type {Record<string, any>} a text by its English, or its forms by the English one's */
const known = JSON.parse(globalThis.document?.getElementById("words")?.textContent ?? "{}");
const rules = new Intl.PluralRules(language);
const forms = CATEGORIES.filter((each) => /** @type {string[]} */ (rules.resolvedOptions().pluralCategories).includes(each));

// {name} stands for values.name, isolated where it turns the direction.
/** @param {string} words @param {Values} [values] */
function filled(words, values) {
  return values ? words.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole).replace(/^.*[\u0590-\u08ff].*/s, "\u2068$&\u2069")) : words;
}

/** @param {string} words @param {Values} [values] @returns {string} */
export function gettext(words, values) {
  return filled(known[words] ?? words, values);
}

/** @param {string} context @param {string} words @param {Values} [values] @returns {string} */
export function pgettext(context, words, values) {
  return filled(known[context + CONTEXT + words] ?? words, values);
}

// {count} stands for the number, written as the language writes it.
/** @param {string} one @param {string} many @param {number} count @param {Values} [values] @returns {string} */
export function ngettext(one, many, count, values) {
  const said = known[one] ?? [one, many];
  const form = known[one] ? Math.max(forms.indexOf(rules.select(count)), 0) : Number(count !== 1);
  return filled(said[form], { ...values, count: number(count) });
}
