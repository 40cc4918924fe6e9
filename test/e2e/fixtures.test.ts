/**
 * Fixtures of the compiler (test/fixtures/compiler): each page is, after each of its steps, what the server sends for the
 * state after it; and what was compiled, sent and changed is what is on record. `UPDATE_FIXTURES=1` writes the records.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { recordFile, snapshot } from "./fixture-snapshot.ts";
import { fixtureNames, FixtureStage, hostFixtures, TABS, type FixtureHost } from "./fixture-story.ts";

let host: FixtureHost;
let stage: FixtureStage;

before(async () => {
  host = await hostFixtures("start");
  stage = await FixtureStage.open(host, "cold");
});

after(async () => {
  await stage?.close();
  await host?.close();
});

describe("in the browser as from the server, and as on record", { concurrency: TABS }, () => {
  for (const name of fixtureNames) {
    it(name.replaceAll("-", " "), async () => {
      const played = await stage.play(name);
      const idle = played.flatMap(({ changes }) => changes.filter((line) => /: (null|".*") -> \1$/.test(line)));
      assert.deepEqual(idle, [], "nothing is written that is there already");
      const found = await snapshot(name, await stage.html(name), played);
      const file = recordFile(name);
      if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(file, found);
      const recorded = existsSync(file) ? readFileSync(file, "utf8") : "";
      assert.equal(found, recorded, `${name} is on record (UPDATE_FIXTURES=1 node out/scripts/test.js fixtures.test)`);
    });
  }
});
