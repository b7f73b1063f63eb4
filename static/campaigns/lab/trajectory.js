// A replay's frames, and where every run's score range lies between two of them.

export class Trajectory {
  /**
   * `sent`: the JSON of `Trajectory.as_dict` (selection/simulation/trajectory.py).
   * @param {SentTrajectory} sent
   */
  constructor(sent) {
    this.runs = sent.runs;
    this.judged = sent.judged;
    this.relevant = sent.relevant;
    this.handled = sent.handled;
    this.label = sent.label ?? sent.method;
    this.base = framesOf(sent.base, sent.judged.length, sent.unit);
    this.top = framesOf(sent.top, sent.judged.length, sent.unit);
    this.ranges = { base: new Float64Array(sent.runs.length), top: new Float64Array(sent.runs.length) };
  }

  /** Judgments of the whole replay. */
  get length() {
    return this.judged[this.judged.length - 1];
  }

  /**
   * The last frame that has no more judgments than these.
   * @param {number} judged
   */
  frameAt(judged) {
    let [low, high] = [0, this.judged.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.judged[middle] <= judged) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * Bases and tops after so many judgments, in arrays that the next call fills again.
   * @param {number} judged
   * @returns {ScoreRanges}
   */
  rangesAt(judged) {
    const frame = this.frameAt(judged);
    const next = Math.min(frame + 1, this.judged.length - 1);
    const step = this.judged[next] - this.judged[frame];
    const share = step ? Math.min((judged - this.judged[frame]) / step, 1) : 0;
    mix(this.base[frame], this.base[next], share, this.ranges.base);
    mix(this.top[frame], this.top[next], share, this.ranges.top);
    return this.ranges;
  }
}

/**
 * By frame, of lists by run that begin with the first frame and go on with the changes.
 * @param {number[][]} lists
 * @param {number} length
 * @param {number} unit
 */
function framesOf(lists, length, unit) {
  const frames = Array.from({ length }, () => new Float64Array(lists.length));
  lists.forEach((changes, run) => {
    let units = 0;
    changes.forEach((change, frame) => {
      units += change;
      frames[frame][run] = units / unit;
    });
  });
  return frames;
}

/** @param {Float64Array} before @param {Float64Array} after @param {number} share @param {Float64Array} into */
function mix(before, after, share, into) {
  for (let run = 0; run < into.length; run += 1) into[run] = before[run] + share * (after[run] - before[run]);
}

/**
 * Loads a trajectory; throws if it cannot be had.
 * @param {string} address
 */
export async function loadTrajectory(address) {
  const reply = await fetch(address, { headers: { Accept: "application/json" } });
  if (!reply.ok) throw new Error(`${reply.status} of ${address}`);
  return new Trajectory(await reply.json());
}
