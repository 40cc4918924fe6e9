import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RequestContext } from "../../../platform/http/request/context.ts";
import { FetchSource } from "../../../platform/http/request/fetch-source.ts";
import { readTarget } from "../../../platform/http/request/target.ts";
import { CidrSet } from "../../../platform/security/ssrf/cidr.ts";
import { ActiveRequests } from "./active-requests.ts";

function requestOf(path: string): RequestContext {
  const source = new FetchSource(new Request(`http://x${path}`), new CidrSet([]), undefined);
  return new RequestContext(source, readTarget(source.target));
}

describe("the list of active requests", () => {
  it("contains all requests that have not ended, longest first, in any order of ends", () => {
    const all = ["/0", "/1", "/2", "/3"].map(requestOf);
    // Each of three requests may end first, second or last.
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
      [1, 2, 0],
    ]) {
      const answering = new ActiveRequests();
      const left = new Set(all.slice(0, 3));
      for (const ctx of left) answering.add(ctx);
      for (const at of order) {
        const ctx = all[at] ?? assert.fail();
        answering.remove(ctx);
        left.delete(ctx);
        assert.deepEqual(
          [...answering].map(({ path }) => path),
          [...left].map(({ path }) => path),
        );
      }
      const [, , , another = assert.fail()] = all;
      answering.add(another);
      assert.deepEqual([...answering], [another]);
      answering.remove(another);
    }
    assert.ok(
      all.every(({ before, behind }) => !before && !behind),
      "one that has gone leads to no other",
    );
  });

  it("is not changed by a request that was never added", () => {
    const [one, other] = [requestOf("/1"), requestOf("/2")];
    const answering = new ActiveRequests();
    answering.remove(other);
    answering.add(one);
    answering.remove(other);
    answering.remove(one);
    answering.remove(one);
    assert.deepEqual([...answering], []);
    answering.add(other);
    assert.deepEqual([...answering], [other]);
  });
});
