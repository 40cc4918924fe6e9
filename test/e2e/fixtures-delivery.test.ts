/**
 * Fixtures under other networks than the best, and in development: code that comes late, in another order, or fails at
 * first; each time every step leads to what the server sends. Records are held by fixtures.test.ts.
 *
 * All of them with code that comes late, for that is the usual case; each sixth in the others. `FIXTURES_ALL=1` takes all.
 */
import { after, before, describe, it } from "node:test";
import type { DeliveryKind } from "./delivery.ts";
import { fixtureNames, FixtureStage, hostFixtures, TABS, type FixtureHost } from "./fixture-story.ts";

const sample = process.env["FIXTURES_ALL"] === "1" ? fixtureNames : fixtureNames.filter((_, at) => at % 6 === 0);

const STAGES: [title: string, command: "start" | "dev", kind: DeliveryKind, names?: string[]][] = [
  ["code that comes after the event", "start", "delayed", fixtureNames],
  ["code that comes last first", "start", "reversed"],
  ["chunks that fail once", "start", "failing"],
  ["development", "dev", "cold"],
  ["development, code that comes after the event", "dev", "delayed"],
  ["development, code that comes last first", "dev", "reversed"],
  ["development, chunks that fail once", "dev", "failing"],
];

for (const command of ["start", "dev"] as const) {
  describe(command === "start" ? "a build" : "development", () => {
    let host: FixtureHost;
    before(async () => {
      host = await hostFixtures(command);
    });
    after(() => host?.close());

    for (const [title, by, kind, names = sample] of STAGES) {
      if (by !== command) continue;
      describe(title, { concurrency: TABS }, () => {
        let stage: FixtureStage;
        before(async () => {
          stage = await FixtureStage.open(host, kind);
        });
        after(() => stage?.close());

        for (const name of names)
          it(name.replaceAll("-", " "), async () => {
            await stage.play(name);
          });
      });
    }
  });
}
