// Plays one replay, or two beside each other on one clock, at a chosen number of judgments a second.

import { ngettext, gettext } from "../../site/words.js";
import { around, copyOf } from "../../site/elements.js";
import { number } from "../../site/numbers.js";
import { Picture } from "./picture.js";
import { loadTrajectory } from "./trajectory.js";
/** @import { Trajectory } from "./trajectory.js" */

// Judgments a second; of these the player offers those by which the whole takes from two seconds to ten minutes.
const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
const [SHORTEST, USUAL, LONGEST] = [2, 30, 600];
// Rows change places and figures are written no more often than they can be followed.
const FIGURES_MS = 800;
// With less motion asked for, the picture changes once a second and stands still between.
const STILL_MS = 1000;
const STEPS = 100;

class Player {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.controls = root.querySelector(".player-controls");
    this.play = this.controls.querySelector("[data-play]");
    this.scrub = this.controls.querySelector("[type=range]");
    this.speed = this.controls.querySelector("select");
    /** @type {Picture[]} */
    this.pictures = [];
    this.words = { more: "", less: "" };
    this.length = 0;
    this.position = 0;
    this.last = this.figures = 0;
    this.playing = false;
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.play.addEventListener("click", () => this.toggle());
    this.scrub.addEventListener("input", () => this.seek(Number(this.scrub.value)));
    this.scrub.addEventListener("change", () => this.announce());
    root.querySelector("[data-all]").addEventListener("click", () => this.showAll());
    root.addEventListener("keydown", (event) => this.press(event));
  }

  async load() {
    const addresses = (this.root.dataset.trajectoryUrls ?? "").split(/\s+/).filter(Boolean).slice(0, 2);
    try {
      this.begin(await Promise.all(addresses.map(loadTrajectory)));
    } catch (error) {
      this.root.querySelector("[data-failed]").hidden = false;
      this.root.removeAttribute("aria-busy");
      console.error(error);
    }
  }

  /** @param {Trajectory[]} trajectories */
  begin(trajectories) {
    const template = /** @type {HTMLTemplateElement} */ (this.root.querySelector("template[data-side]"));
    const sides = this.root.querySelector(".player-sides");
    this.pictures = trajectories.map((trajectory) => {
      const place = copyOf(template);
      sides.append(place);
      return new Picture(place, trajectory);
    });
    this.length = Math.max(...trajectories.map((one) => one.length));
    this.scrub.max = String(this.length);
    this.offerSpeeds();
    this.nameToggle(Math.max(...trajectories.map((one) => one.runs.length)));
    for (const part of [this.controls, sides]) part.hidden = false;
    this.root.removeAttribute("aria-busy");
    this.draw();
    this.root.dataset.ready = "yes";
  }

  offerSpeeds() {
    const fits = SPEEDS.filter((speed) => speed * LONGEST >= this.length && speed * SHORTEST <= this.length);
    const speeds = fits.length ? fits : [SPEEDS[0]];
    const usual = speeds.find((speed) => speed * USUAL >= this.length) ?? speeds.at(-1);
    /** @param {number} speed */
    const named = (speed) => ngettext("{count} a second", "{count} a second", speed);
    this.speed.replaceChildren(...speeds.map((speed) => new Option(named(speed), String(speed), false, speed === usual)));
  }

  /** @param {number} runs */
  nameToggle(runs) {
    const button = this.root.querySelector("[data-all]");
    const { first } = this.pictures[0];
    button.hidden = runs <= first;
    this.words = {
      more: ngettext("Show the {count} run", "Show all {count} runs", runs),
      less: gettext("Show the first {count}", { count: first }),
    };
    button.textContent = this.words.more;
  }

  showAll() {
    const all = this.root.toggleAttribute("data-every");
    for (const picture of this.pictures) picture.showAll(all);
    this.root.querySelector("[data-all]").textContent = all ? this.words.less : this.words.more;
    this.draw();
  }

  toggle() {
    if (this.playing) this.stop();
    else this.start();
  }

  start() {
    if (this.position >= this.length) this.position = 0;
    this.playing = true;
    this.last = this.figures = performance.now();
    this.namePlay();
    requestAnimationFrame((now) => this.tick(now));
  }

  stop() {
    this.playing = false;
    this.namePlay();
    this.draw();
    this.announce();
  }

  namePlay() {
    this.play.textContent = (this.playing ? this.play.dataset.pause : this.play.dataset.play) ?? "";
    this.root.dataset.playing = this.playing ? "yes" : "no";
  }

  /** @param {number} now */
  tick(now) {
    if (!this.playing) return;
    requestAnimationFrame((next) => this.tick(next));
    if (this.still && now - this.last < STILL_MS) return;
    const passed = Math.max(now - this.last, 0);
    this.last = now;
    this.position = Math.min(this.position + (passed / 1000) * Number(this.speed.value), this.length);
    if (this.position >= this.length) this.stop();
    else this.drawTick(now);
  }

  /** @param {number} now */
  drawTick(now) {
    for (const picture of this.pictures) picture.drawBars(this.position);
    this.showPosition();
    if (this.still || now - this.figures >= FIGURES_MS) {
      this.figures = now;
      for (const picture of this.pictures) picture.drawFigures(this.position, !this.still);
    }
  }

  /** @param {number} position */
  seek(position) {
    this.position = Math.min(Math.max(position, 0), this.length);
    this.draw();
  }

  draw() {
    for (const picture of this.pictures) picture.drawAll(this.position);
    this.showPosition();
    this.scrub.setAttribute("aria-valuetext", this.positionWords());
  }

  showPosition() {
    this.scrub.value = String(Math.floor(this.position));
    this.controls.querySelector(".player-position").textContent = this.positionWords();
  }

  positionWords() {
    const all = number(this.length);
    return ngettext("{count} of {all} judgments", "{count} of {all} judgments", Math.floor(this.position), { all });
  }

  /** Read out where the picture comes to rest, never while it moves. */
  announce() {
    if (this.playing) return;
    const found = this.pictures.map((picture) => {
      const { relevant } = picture.counts(this.position);
      return ngettext("{method}: {count} relevant document", "{method}: {count} relevant documents", relevant, {
        method: picture.trajectory.label,
      });
    });
    this.root.querySelector("[role=status]").textContent = [this.positionWords(), ...found].join(". ");
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (!this.pictures.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const step = Math.max(1, Math.round(this.length / STEPS));
    /** @type {Record<string, () => void>} */
    const acts = {
      " ": () => this.toggle(),
      ArrowLeft: () => this.seek(this.position - step),
      ArrowRight: () => this.seek(this.position + step),
      Home: () => this.seek(0),
      End: () => this.seek(this.length),
      "+": () => this.changeSpeed(1),
      "-": () => this.changeSpeed(-1),
    };
    // A list of choices has its own keys, and a button its own space bar.
    if (!(key in acts) || around(event, "select") || (key === " " && around(event, "button, a"))) return;
    event.preventDefault();
    acts[key]();
    if (key !== " ") this.announce();
  }

  /** @param {number} by */
  changeSpeed(by) {
    const { selectedIndex, options } = this.speed;
    this.speed.selectedIndex = Math.min(Math.max(selectedIndex + by, 0), options.length - 1);
  }
}

for (const root of document.querySelectorAll(".player")) new Player(root).load();
