/**
 * The compiler fixtures (test/fixtures/compiler): after each step, a page equals the server's page for the state after it; and compiled
 * modules, sent pages and document changes match the records. `UPDATE_FIXTURES=1` rewrites the records.
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

describe("a fixture in the browser equals the server's page and its record:", { concurrency: TABS }, () => {
  for (const name of fixtureNames) {
    it(name.replaceAll("-", " "), async () => {
      const played = await stage.play(name);
      const idle = played.flatMap(({ changes }) => changes.filter((line) => /: (null|".*") -> \1$/.test(line)));
      assert.deepEqual(idle, [], "no step writes a value that is already there");
      const found = await snapshot(name, await stage.html(name), played);
      const file = recordFile(name);
      if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(file, found);
      const recorded = existsSync(file) ? readFileSync(file, "utf8") : "";
      assert.equal(found, recorded, `${name} is on record (UPDATE_FIXTURES=1 node out/scripts/test.js fixtures.test)`);
    });
  }
});
