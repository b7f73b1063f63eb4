// Pages that show nothing: what they held.
import assert from "node:assert/strict";
import test from "node:test";
import { elementCounts, takenOut } from "../../static/assess/screen/reading/taken_out.js";

test("pictures, forms, frames and scripts are counted, comments are not", () => {
  const page = "<IMG src=a><img src=b><!-- <form> --><script>x</script><iframe src=c></iframe><imgx>";
  assert.deepEqual([...elementCounts(page)], [["img", 2], ["script", 1], ["iframe", 1]]);
});

test("what was taken out is named", () => {
  assert.deepEqual(takenOut("<body><img src=x.gif></body>"), ["1 picture that is not stored"]);
  assert.deepEqual(takenOut("<script src=app.js></script>"), ["a script, which may have made the page"]);
  assert.deepEqual(takenOut("<p>&nbsp;</p>"), []);
});

test("a comment that never ends hides the rest", () => {
  assert.equal(elementCounts("<!-- <img>".repeat(1000)).size, 0);
});
