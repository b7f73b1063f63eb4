// Rounds the numbers it is sent by each of the scripts' rules, in the language named: for test_number_rounding.py.
import { stdin } from "node:process";
import { json } from "node:stream/consumers";

globalThis.document = { documentElement: { lang: process.argv[2] } };
const { base, number, percentage, score, small, top } = await import("../../../static/site/numbers.js");

const rounded = [0, 1, 2, 3, 4].map((digits) => (value) => number(value, digits));
const rules = [...rounded, (value) => number(value, 1, 0), score, base, top, small, percentage];
const values = (await json(stdin)).map((value) => value ?? NaN);
console.log(JSON.stringify(values.map((value) => rules.map((rule) => rule(value)))));
