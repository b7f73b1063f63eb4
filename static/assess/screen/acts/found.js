// A document that the assessor found on the search page and wants on the screen: its docno stands in the address.
// Empty if there is none; a reload shows what is open by then.
/** @import { Judging } from "./judging.js" */
export function foundDocument() {
  const docno = new URLSearchParams(location.hash.slice(1)).get("open") ?? "";
  if (docno) history.replaceState(null, "", location.pathname + location.search);
  return docno;
}

// The document that the search interrupted is shown first, so that it comes back behind the found one.
/** @param {Judging} judging @param {{ left: string, offline: boolean }} left @param {string} docno */
export async function beginWith(judging, left, docno) {
  await judging.begin({ ...left, offline: left.offline || docno !== "" });
  if (docno) judging.recall(docno);
}
