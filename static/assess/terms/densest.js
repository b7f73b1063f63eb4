// The passage in which the most different terms stand, and of such the one with the most matches.

const PASSAGE = 600;

// The number, in reading order, of the passage's first match.
export function densest(portions) {
  const matches = [];
  let before = 0;
  for (const { found, length } of portions) {
    for (const { term, place } of found ?? []) matches.push({ term, place: before + place });
    before += length ?? 0;
  }
  const inside = new Map();
  let best = { first: 0, terms: 0, matches: 0 };
  let first = 0;
  matches.forEach(({ term, place }, last) => {
    inside.set(term, (inside.get(term) ?? 0) + 1);
    for (; place - matches[first].place > PASSAGE; first += 1) {
      const left = inside.get(matches[first].term) - 1;
      if (left) inside.set(matches[first].term, left);
      else inside.delete(matches[first].term);
    }
    const here = { first, terms: inside.size, matches: last - first + 1 };
    if (here.terms > best.terms || (here.terms === best.terms && here.matches > best.matches)) best = here;
  });
  return best.first;
}
