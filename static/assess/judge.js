// Puts the judging screen together.
import { Ahead } from "./offline/ahead.js";
import { connect } from "./offline/api.js";
import { Earlier } from "./screen/reading/earlier.js";
import { Elsewhere } from "./offline/elsewhere.js";
import { Outbox } from "./offline/outbox.js";
import { Outboxes } from "./offline/outboxes.js";
import { keepForOffline, Screen } from "./offline/screen.js";
import { Store } from "./offline/store.js";
import { Annotations } from "./screen/guidance/annotations.js";
import { Clock } from "./screen/acts/clock.js";
import { keyMap, onEscape, onKeys, readingControls } from "./screen/guidance/controls.js";
import { showDefinitions } from "./screen/guidance/definitions.js";
import { byId } from "../site/elements.js";
import { Finish } from "./screen/acts/finish.js";
import { beginWith, foundDocument } from "./screen/acts/found.js";
import { Guidelines } from "./screen/guidance/guidelines.js";
import { History } from "./screen/acts/history.js";
import { Judging } from "./screen/acts/judging.js";
import { Flash, Nudges } from "./screen/guidance/notices.js";
import { Paper } from "./screen/reading/paper.js";
import { Questions } from "./screen/guidance/questions.js";
import { Reasons } from "./screen/acts/reasons.js";
import { Saving } from "./screen/acts/saving.js";
import { Tally } from "./screen/acts/tally.js";
import { Refining } from "./screen/acts/topic.js";
import { Matches } from "./terms/matches.js";
import { PersonalTerms } from "./terms/terms.js";
import { gettext } from "../site/words.js";

const A_MINUTE = 60_000;

/** @type {ScreenData} */
const data = JSON.parse(byId("screen-data").textContent);
const owner = `${data.assessor}:${data.campaign}`;
const labels = new Map(data.grades.map((grade) => [grade.grade, grade.label]));
/** @param {number} grade @returns {string} */
const nameOf = (grade) => labels.get(grade) ?? gettext("grade {grade}", { grade });

const api = connect(data.api, data.assessor);
const store = await Store.open();
const outbox = await Outbox.open(api, store, owner);
const notesOutbox = await Outbox.open(api, store, `notes:${owner}`);
const ahead = await Ahead.open({ api, store, topic: data.topic, place: `${owner}:${data.topic}` });
const screen = await Screen.open({ store, ahead, place: `${owner}:${data.topic}` });
const tally = new Tally(screen.known(data));
for (const act of outbox.acts.filter(({ body }) => body.topic === data.topic)) {
  tally.replay(act, ahead.document(act.body.docno)?.title ?? "");
}
const judging = new Judging({ api, outbox, tally, clock: new Clock(), topic: data.topic, ahead });
const elsewhere = new Elsewhere(`judging ${owner}:${data.topic}`);
const flash = new Flash();
/** @type {Say} */
const say = (words) => flash.say(words);
/** @type {Say} */
const show = (words) => flash.show(words);
const paper = new Paper();
const personal = new PersonalTerms(`${owner}:${data.topic}`);
const matches = new Matches({ title: data.title, personal, parts: paper.marked, say });
const finish = new Finish({ api, outbox, judging, tally, data, say: show });
/** @param {string} docno */
const recall = async (docno) => (await finish.judgeOn()) && judging.recall(docno);
const history = new History({ tally, recall, nameOf, reasons: data.reasons });
const annotations = new Annotations({ data, outbox: notesOutbox, parts: paper.marked, nameOf, say: show });
const earlier = new Earlier({ api, say: show });
const questions = new Questions({ data, outbox: notesOutbox, say: show });
const outboxes = new Outboxes(outbox, notesOutbox);
const saving = new Saving({ outbox: outboxes, judging, say });
const nudges = new Nudges({ tally, ahead });
new Refining({ api, topic: data.topic, revision: data.revision, say: show });
const reasons = new Reasons({ choose: (reason) => judging.cannotJudge(reason) });

const judgeButtons = [...document.querySelectorAll("[data-judge]")];
const needDocument = [...judgeButtons, byId("later"), byId("cannot-judge"), byId("note")];

function paint() {
  delete byId("paper").dataset.accepts;
  const { reading } = judging;
  for (const button of needDocument) button.setAttribute("aria-disabled", String(!reading));
  for (const button of judgeButtons) {
    const now = reading?.claim.revising === Number(button.dataset.judge);
    button.setAttribute("aria-pressed", String(now));
  }
  if (reading) {
    const { document: shown, before } = reading;
    paper.show(reading, nameOf).then((drawn) => drawn && judging.seen(shown));
    matches.mark();
    const fresh = !before && tally.of(shown.docno) !== null;
    earlier.show(reading, fresh ? undefined : annotations.of(shown.docno));
    annotations.show(shown, { fresh });
    questions.show(shown, { fresh });
    history.current(reading);
  } else if (judging.phase === "between" || judging.phase === "stopped") {
    leaveDocument();
    paper.leave();
    explainWaiting();
  } else if (judging.phase === "finished") {
    leaveDocument();
    paper.finish();
  } else {
    leaveDocument();
    paper.end();
  }
}

function leaveDocument() {
  annotations.leave();
  questions.leave();
}

function explainWaiting() {
  if (judging.phase === "stopped") paper.explain(gettext("This topic is open in another tab of this browser."));
  else paper.explain(saving.trouble ? saving.explanation : gettext("Fetching the next document…"));
}

/** @param {NamedDocument} named */
const called = ({ title, docno }) => title || docno;

/** @param {Verdict & { document: NamedDocument, revision: boolean }} act */
function recorded({ document: judged, grade = null, reason = "", revision }) {
  const verdict = grade === null ? gettext("cannot judge: {reason}", { reason: data.reasons[reason] ?? reason }) : nameOf(grade);
  const said = revision ? gettext("revised: {verdict}", { verdict }) : verdict;
  flash.ring(`${said} · ${called(judged)}`);
  annotations.judged(judged, grade);
  nudges.judged({ first: !revision });
}

judging.addEventListener("phase", paint);
// The state that takes acts, for programs that send keys.
judging.addEventListener("accepts", () => { byId("paper").dataset.accepts = "grades"; });
judging.addEventListener("too-soon", () => show(gettext("too soon: not counted")));
judging.addEventListener("unreached", explainWaiting);
outbox.addEventListener("change", explainWaiting);
judging.addEventListener("recorded", ({ detail }) => recorded(detail));
judging.addEventListener("aside", ({ detail }) => show(`${gettext("judge later")} · ${called(detail.document)}`));
judging.addEventListener("undone", ({ detail }) => {
  annotations.judged(null);
  byId("last").classList.remove("ringed");
  show(`${gettext("undone")} · ${called(detail.document)}`);
});
outbox.addEventListener("reply", ({ detail: { act, reply } }) => reply?.asks_note && annotations.ask(act.body));
outbox.addEventListener("reply", ({ detail: { reply } }) => reply && proposeTopic());
judging.addEventListener("nothing-to-undo", () => show(gettext("nothing to undo in this topic")));
judging.addEventListener("replaced", ({ detail }) => show(`${gettext("Another assessor has just judged this document")} · ${called(detail.document)}`));
judging.addEventListener("elsewhere", () => elsewhere.onAnotherScreen());
judging.addEventListener("cannot-recall", ({ detail }) => show(detail.why || gettext("{docno} can’t be loaded right now. Try again in a moment.", { docno: detail.docno })));

// Where the campaign first needs a few judgments of each of many topics. Without a network this topic goes on.
async function proposeTopic() {
  if (!data.onward || outbox.waiting) return;
  const asked = tally.progress.judged;
  const reply = await fetch(data.onward).catch(() => null);
  const proposed = reply?.ok ? await reply.json() : {};
  if (proposed.address && asked === tally.progress.judged) nudges.propose(proposed);
}

const cannotJudge = () => judging.phase === "reading" && reasons.open();
/** @param {number} grade */
const judge = (grade) => annotations.before(grade, () => judging.judge(grade));
/** @type {Record<string, () => void>} */
const commands = {
  u: () => (finish.finished ? finish.judgeOn() : judging.undo()),
  c: () => finish.done(),
  s: () => judging.later(),
  x: cannotJudge,
  g: () => guidelines.toggle(),
  n: () => annotations.openAsked() || annotations.open(),
  q: () => questions.open(),
  m: () => annotations.mark(),
  t: () => matches.step(1),
  T: () => matches.step(-1),
  d: () => matches.densest(),
  f: () => byId("find")?.click(),
  w: () => byId("nudge").hidden || byId("nudge-onward").hidden || byId("nudge-onward").click(),
  "?": () => byId("keys").showModal(),
};
onEscape(() => judging.current?.before && judging.goBack());

const guidelines = new Guidelines({ api, store, place: owner, grades: data.grades, topic: () => data.topic });
showDefinitions(judgeButtons);
for (const button of judgeButtons) button.addEventListener("click", () => judge(Number(button.dataset.judge)));
byId("undo").addEventListener("click", commands.u);
byId("later").addEventListener("click", commands.s);
byId("cannot-judge").addEventListener("click", commands.x);
byId("show-keys").addEventListener("click", commands["?"]);
byId("go-back").addEventListener("click", () => judging.goBack());
const fold = byId("fold");
fold.addEventListener("click", () => {
  const open = fold.getAttribute("aria-expanded") !== "true";
  fold.setAttribute("aria-expanded", String(open));
  byId("need").classList.toggle("open", open);
});

// A grade may have taken a command's key; its button then works without one.
const gradeKeys = new Set(data.grades.map((grade) => grade.key.toLowerCase()));
for (const key of document.querySelectorAll("[data-key]")) key.hidden = gradeKeys.has(key.textContent);

onKeys(keyMap({ grades: data.grades, judge, commands }));
setInterval(() => judging.renewClaim(), A_MINUTE);
readingControls();
addEventListener("beforeunload", (event) => !outboxes.kept && outboxes.waiting && event.preventDefault());
paint();

function stop() {
  judging.stop();
  elsewhere.inAnotherTab();
}

if (await elsewhere.own(stop)) {
  screen.follow({ judging, tally });
  if (data.done) outbox.run();
  const wanted = foundDocument();
  if (data.done) judging.finish();
  else beginWith(judging, screen.left, wanted);
  if (data.done && wanted) recall(wanted);
  notesOutbox.run();
} else {
  stop();
}
keepForOffline(data.worker);
