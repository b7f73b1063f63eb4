/** Run `act` at once when it has rested for `wait` milliseconds; otherwise once when the wait is over. */
export function atMostEvery(wait, act) {
  let rested = -Infinity;
  let timer = null;
  const run = () => {
    timer = null;
    rested = performance.now();
    act();
  };
  return () => {
    if (timer !== null) return;
    const left = rested + wait - performance.now();
    if (left <= 0) run();
    else timer = setTimeout(run, left);
  };
}
