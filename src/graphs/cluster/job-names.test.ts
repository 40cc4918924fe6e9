import assert from "node:assert/strict";
import { it } from "node:test";
import { identifierOf, nameOf } from "./job-names.ts";

it("job names differ between definitions and stay within the length limit of graphile-worker", () => {
  const long = "n".repeat(64);
  const versions = [undefined, "1", "v".repeat(64), `${"v".repeat(63)}w`];
  const names = versions.flatMap((version) => [
    nameOf(long, version),
    ...["a", "b"].map((letter) => identifierOf(long, version, letter.repeat(16))),
  ]);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.ok(name.length <= 128, name);
  assert.equal(identifierOf("audit", "2", "0123456789abcdef"), "graph audit 2 #0123456789abcdef");
});
