/** `scripts/language.ts`, part of `npm run lint`, finds the habits that it names and nothing else. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "./source.ts";

interface Language {
  placesIn: (files: { path: string; text: string }[]) => { habit: string; at: string }[];
  rateOf: (files: { path: string; text: string }[]) => number;
}

const load = (): Promise<Language> =>
  import(pathToFileURL(join(root, "out/scripts/language.js")).href) as Promise<Language>;

describe("the language check", () => {
  it("finds planted habits in comments, strings and documents", async () => {
    const { placesIn } = await load();
    const code = '/** Of what runs here. */\nconst text = "goes on";\n// What is told, whoever asks.\n';
    assert.deepEqual(
      placesIn([{ path: "src/planted.ts", text: code }]).map(({ at }) => at),
      ["src/planted.ts:1", "src/planted.ts:2", "src/planted.ts:3", "src/planted.ts:3", "src/planted.ts:3"],
    );
    assert.equal(placesIn([{ path: "docs/planted.md", text: "It stands in the table." }]).length, 1);
  });

  it("ignores plain sentences, and code without prose", async () => {
    const { placesIn, rateOf } = await load();
    const plain = "/** Returns the run's result. */\nconst told = tell(1);\n// Retries what the receiver refused.\n";
    assert.deepEqual(placesIn([{ path: "src/plain.ts", text: plain }]), []);
    assert.equal(rateOf([{ path: "src/plain.ts", text: plain }]), 0);
  });
});
