/** Seed section 9: versioning. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { describeBothAdapters } from "./both-adapters.ts";

describeBothAdapters("versioning", (site) => {
  it("The endpoint /_svc/runtime.js is labelled legacy: served all the same, and named by no page", async () => {
    const response = await site.send("/_svc/runtime.js");
    assert.equal(response.status, 200);
    assert.doesNotMatch(await (await site.send("/plain")).text(), /runtime\.js/);
  });
});
