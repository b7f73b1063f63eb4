// One tab of a browser has a topic; another says so and offers to take it over. Locks need https or
// localhost: elsewhere the tabs ask each other.

const OLD_PAGE_GONE = 700; // a reload's new page may ask before the old one has let go
const ANSWER = 250;

export function own(name, { force, lost }) {
  if (navigator.locks) return withLocks(name, force, lost);
  return "BroadcastChannel" in globalThis ? withChannel(name, force, lost) : Promise.resolve(true);
}

function withLocks(name, force, lost) {
  return new Promise((resolve) => {
    let owned = false;
    const hold = () => {
      owned = true;
      resolve(true);
      return new Promise(() => {}); // until the page goes, or another steals it
    };
    const how = force ? { steal: true } : { signal: AbortSignal.timeout(OLD_PAGE_GONE) };
    navigator.locks.request(name, how, hold).catch(() => (owned ? lost() : resolve(false)));
  });
}

function withChannel(name, force, lost) {
  const channel = new BroadcastChannel(name);
  let state = "asking";
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (data === "who" && state === "owner") channel.postMessage("mine");
      if (data === "mine" && state === "asking") state = "guest";
      if (data === "take" && state === "owner") {
        state = "guest";
        lost();
      }
    };
    channel.postMessage(force ? "take" : "who");
    setTimeout(() => {
      if (state === "asking" || force) state = "owner";
      resolve(state === "owner");
    }, ANSWER);
  });
}
