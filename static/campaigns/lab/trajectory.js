// A replay's frames, and where every run's score range lies between two of them.

export class Trajectory {
  /** `sent`: the JSON of `Trajectory.as_dict` (selection/simulation/trajectory.py). */
  constructor(sent) {
    this.runs = sent.runs;
    this.judged = sent.judged;
    this.relevant = sent.relevant;
    this.handled = sent.handled;
    this.label = sent.label ?? sent.method;
    this.base = framesOf(sent.base, sent.judged.length, sent.unit);
    this.top = framesOf(sent.top, sent.judged.length, sent.unit);
  }

  /** Judgments of the whole replay. */
  get length() {
    return this.judged.at(-1);
  }

  /** The last frame that has no more judgments than these. */
  frameAt(judged) {
    let [low, high] = [0, this.judged.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.judged[middle] <= judged) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Bases and tops after so many judgments, in arrays that the next call fills again. */
  rangesAt(judged) {
    const frame = this.frameAt(judged);
    const next = Math.min(frame + 1, this.judged.length - 1);
    const step = this.judged[next] - this.judged[frame];
    const share = step ? Math.min((judged - this.judged[frame]) / step, 1) : 0;
    this.ranges ??= { base: new Float64Array(this.runs.length), top: new Float64Array(this.runs.length) };
    for (const name of ["base", "top"]) mix(this[name][frame], this[name][next], share, this.ranges[name]);
    return this.ranges;
  }
}

/** By frame, of lists by run that begin with the first frame and go on with the changes. */
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

function mix(before, after, share, into) {
  for (let run = 0; run < into.length; run += 1) into[run] = before[run] + share * (after[run] - before[run]);
}

/** Loads a trajectory; throws if it cannot be had. */
export async function loadTrajectory(address) {
  const reply = await fetch(address, { headers: { Accept: "application/json" } });
  if (!reply.ok) throw new Error(`${reply.status} of ${address}`);
  return new Trajectory(await reply.json());
}
