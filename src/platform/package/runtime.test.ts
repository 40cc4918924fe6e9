import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { NODE_RANGE, runtimeProblem } from "./runtime.ts";

describe("the check of the runtime", () => {
  it("accepts every supported Node, and the one of package.json", () => {
    for (const node of ["20.19.0", "20.20.2", "22.12.0", "22.13.1", "23.4.0", "24.6.0", "26.10.0"])
      assert.equal(runtimeProblem({ node }), undefined, node);
    const manifest = new URL("../../../package.json", import.meta.url);
    const { engines } = JSON.parse(readFileSync(manifest, "utf8")) as { engines: { node: string } };
    assert.equal(engines.node, NODE_RANGE);
  });

  it("refuses an older Node and names the version that is needed", () => {
    for (const node of ["18.20.8", "20.18.3", "21.7.3", "22.11.0"])
      assert.match(runtimeProblem({ node }) ?? "", /Node \d+\.\d+\.\d+\. Install Node 20\.19, 22\.12 or newer/, node);
  });

  it("refuses Bun and names the reason", () => {
    assert.match(
      runtimeProblem({ node: "26.3.0", bun: "1.4.5" }) ?? "",
      /Bun 1\.4\.5: its undici ignores the connector/,
    );
  });
});
