// The screen as it was left, for a reload while the network is away.
/** @import { Ahead } from "./ahead.js" */
/** @import { Store } from "./store.js" */
/** @import { Judging } from "../screen/acts/judging.js" */
/** @import { Tally } from "../screen/acts/tally.js" */

// The service worker marks a page that it had kept: what the page says may be old by now.
const isOld = "kept" in document.documentElement.dataset;

export class Screen {
  /** @type {Store} */
  #store;
  /** @type {Ahead} */
  #ahead;
  /** @type {string} */
  #place;
  /** @type {{ docno: string, ahead: AheadSnapshot, tally: TallySnapshot } | null} */
  #record;
  #timer = 0;

  /** @param {{ store: Store, ahead: Ahead, place: string }} parts */
  static async open({ store, ahead, place }) {
    const screen = new Screen();
    screen.#store = store;
    screen.#ahead = ahead;
    screen.#place = place;
    screen.#record = await store.get("screens", place);
    if (screen.#record) ahead.restore(screen.#record.ahead);
    return screen;
  }

  // What is known of the topic's judgments: the page's word, unless it is an old page.
  /** @param {ScreenData} data */
  known(data) {
    return isOld && this.#record ? { ...data, ...this.#record.tally } : data;
  }

  get left() {
    return { left: this.#record?.docno ?? "", offline: isOld };
  }

  /** @param {{ judging: Judging, tally: Tally }} parts */
  follow({ judging, tally }) {
    const keep = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#keep(judging, tally));
    };
    judging.addEventListener("phase", keep);
    tally.addEventListener("change", keep);
    this.#ahead.addEventListener("answer", keep);
  }

  /** @param {Judging} judging @param {Tally} tally */
  #keep(judging, tally) {
    if (judging.phase === "stopped") return;
    const docno = judging.current?.document.docno ?? "";
    this.#store.put("screens", this.#place, { docno, ahead: this.#ahead.snapshot, tally: tally.snapshot });
  }
}

// A worker answers for this page and its files when the server cannot be reached. Browsers have workers only
// on https and localhost.
/** @param {string} address */
export async function keepForOffline(address) {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  try {
    await workers.register(address);
    const stemmers = [...document.querySelectorAll("script[src*='/stemmers/']")].map(({ src }) => src);
    await caches.open("stemmers").then((kept) => kept.addAll(stemmers));
    const { active } = await workers.ready;
    // A page that came past the worker has not been kept, even if it belongs to the worker by now.
    const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
    if (!visit?.workerStart) active?.postMessage({ keep: location.href });
  } catch {
    // without one, a reload needs the network
  }
}
