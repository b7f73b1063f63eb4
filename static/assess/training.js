// Training: documents of known grade, one after the other; the expected grade is shown after each answer.
import { connect, Refusal } from "./offline/api.js";
import { Clock } from "./screen/acts/clock.js";
import { keyMap, onKeys, readingControls } from "./screen/guidance/controls.js";
import { showDefinitions } from "./screen/guidance/definitions.js";
import { byId, html, paragraphs, uuid } from "../site/elements.js";
import { Guidelines } from "./screen/guidance/guidelines.js";
import { Paper } from "./screen/reading/paper.js";
import { markAsItGrows, markTerms } from "./terms/marking.js";
import { number } from "../site/numbers.js";
import { gettext } from "../site/words.js";

/** @type {Pick<ScreenData, "api" | "assessor" | "grades"> & { again: boolean }} */
const data = JSON.parse(byId("screen-data").textContent);
const labels = new Map(data.grades.map(({ grade, label }) => [grade, label]));
/** @param {number} grade @returns {string} */
const nameOf = (grade) => labels.get(grade) ?? gettext("grade {grade}", { grade });
const api = connect(data.api, data.assessor);
const clock = new Clock();
const paper = new Paper();
markAsItGrows(paper.marked, () => turn.next?.topic.title ?? "");
const buttons = [...document.querySelectorAll("[data-judge]")];

/** @type {Attempt} */
let turn; // the attempt as the server has it, with the item to come
let phase = "between"; // "asking" while a document waits for its grade, "answered" while its answer is shown

/** @param {Attempt} turn */
function agreement({ agreed, answered, kappa }) {
  const share = gettext("{agreed} of {answered} as expected", { agreed, answered });
  return kappa === null ? share : `${share}; κ ${number(kappa, 2)}`;
}

/** @param {Answer} answer */
function verdict({ grade, expected, agreed }) {
  const said = { said: nameOf(grade), expected: nameOf(expected) };
  return agreed ? gettext("You said {said}, as expected", said) : gettext("You said {said} · expected {expected}", said);
}

/** @param {string} next */
function enter(next) {
  phase = next;
  for (const button of buttons) button.setAttribute("aria-disabled", String(phase !== "asking"));
  byId("grades").classList.toggle("answered", phase === "answered");
  byId("verdict").hidden = phase !== "answered";
}

/** @param {TrainingItem} item */
function ask(item) {
  const { topic } = item;
  byId("topic-title").textContent = topic.title || topic.number;
  byId("topic-line").textContent = topic.title || topic.description || topic.number;
  byId("topic-description").replaceChildren(...paragraphs(topic.description));
  byId("topic-narrative").replaceChildren(...paragraphs(topic.narrative));
  byId("topic-fields").replaceChildren(...topic.further_fields.flatMap(({ name, value }) => [
    html("dt", { class: "label", dir: "auto" }, name),
    html("dd", { dir: "auto" }, ...paragraphs(value)),
  ]));
  byId("how-far").textContent = gettext("{place} of {total}", { place: turn.answered + 1, total: turn.items });
  enter("asking");
  paper.show({ document: item.document, claim: { docno: item.document.docno, revising: null } }, nameOf);
  markTerms([byId("document-title")], topic.title);
  clock.start();
}

function finish() {
  enter("finished");
  byId("how-far").textContent = "";
  byId("summary").textContent = `${agreement(turn)}. ${gettext("Training is over. Nothing you judged here is counted; from now on your judgments are.")}`;
  byId("answers").replaceChildren(...turn.answers.map(line));
  document.querySelector(".desk").classList.add("over");
  paper.end();
}

/** @param {Answer} answer */
function line(answer) {
  const name = html("p", {}, answer.title || answer.docno);
  const said = html("p", { class: "note" }, gettext("{verdict}, because {reason}", { verdict: verdict(answer), reason: answer.reason }));
  const item = html("li", {}, name, said);
  item.dataset.grade = String(answer.expected);
  return item;
}

function goOn() {
  if (phase !== "answered") return;
  if (turn.next) ask(turn.next);
  else finish();
}

/** @param {{ answer: Answer }} reply */
function tell({ answer }) {
  byId("verdict").dataset.grade = String(answer.expected);
  byId("said").textContent = verdict(answer);
  byId("said").classList.toggle("agreed", answer.agreed);
  byId("because").textContent = gettext("Because: {reason}", { reason: answer.reason });
  byId("so-far").textContent = agreement(turn);
  enter("answered");
  byId("go-on").focus({ preventScroll: true });
}

// What fails is tried again with the same id: an answer counts once.
/** @param {() => Promise<Attempt & { answer: Answer }>} call @param {(reply: { answer: Answer }) => void} then */
async function attempt(call, then) {
  byId("trouble").hidden = true;
  try {
    const reply = await call();
    turn = reply;
    then(reply);
  } catch (error) {
    byId("trouble").querySelector("p").textContent =
      error instanceof Refusal ? error.message : gettext("The server cannot be reached. Your answer is not kept yet.");
    byId("try-again").onclick = () => (error instanceof Refusal ? begin() : attempt(call, then));
    byId("trouble").hidden = false;
  }
}

/** @param {number} grade */
function judge(grade) {
  if (phase !== "asking" || !turn.next) return;
  enter("sending");
  const answer = { id: uuid(), item: turn.next.id, attempt: turn.attempt, grade, milliseconds: clock.read() };
  attempt(() => api.post("training/", answer), tell);
}

function begin() {
  /** @type {Record<string, string>} */
  const query = data.again ? { again: "true" } : {};
  attempt(
    () => api.get("training/", query),
    () => (turn.next ? ask(turn.next) : finish()),
  );
}

showDefinitions(buttons);
for (const button of buttons) button.addEventListener("click", () => judge(Number(button.dataset.judge)));
byId("go-on").addEventListener("click", goOn);
const fold = byId("fold");
fold.addEventListener("click", () => {
  const open = fold.getAttribute("aria-expanded") !== "true";
  fold.setAttribute("aria-expanded", String(open));
  byId("need").classList.toggle("open", open);
});
const guidelines = new Guidelines({ api, grades: data.grades, topic: () => turn?.next?.topic.number });
onKeys(keyMap({ grades: data.grades, judge, commands: { g: () => guidelines.toggle() } }));
readingControls();
begin();
