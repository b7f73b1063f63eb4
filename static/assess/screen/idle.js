// Work in slices too short to be felt, between what the browser has to do.

const SLICE = 8;
const PATIENCE = 250;

const whenIdle = globalThis.requestIdleCallback
  ? (work) => requestIdleCallback(work, { timeout: PATIENCE })
  : (work) => setTimeout(work, 0);

// Takes from the iterator until it is done or told to stop; `sliced` is called after each slice.
export function inSlices(iterator, { sliced = () => {}, done = () => {} } = {}) {
  let stopped = false;
  const slice = () => {
    if (stopped) return;
    const until = performance.now() + SLICE;
    let step = iterator.next();
    while (!step.done && performance.now() < until) step = iterator.next();
    sliced();
    if (step.done) done();
    else whenIdle(slice);
  };
  whenIdle(slice);
  return () => {
    stopped = true;
  };
}
