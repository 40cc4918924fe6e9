/**
 * Fixtures under worse networks and in development: code that arrives late, in another order, or fails at first. Each time every
 * step leads to the server's page. fixtures.test.ts checks the records.
 *
 * All of them run with late code, because that is the usual case; every sixth runs in the others. `FIXTURES_ALL=1` runs all.
 */
import { after, before, describe, it } from "node:test";
import type { DeliveryKind } from "./delivery.ts";
import { fixtureNames, FixtureStage, hostFixtures, TABS, type FixtureHost } from "./fixture-story.ts";

const sample = process.env["FIXTURES_ALL"] === "1" ? fixtureNames : fixtureNames.filter((_, at) => at % 6 === 0);

const STAGES: [title: string, command: "start" | "dev", kind: DeliveryKind, names?: string[]][] = [
  ["code that arrives after the event", "start", "delayed", fixtureNames],
  ["code that arrives in reverse order", "start", "reversed"],
  ["chunks that fail once", "start", "failing"],
  ["development", "dev", "cold"],
  ["development, code that arrives after the event", "dev", "delayed"],
  ["development, code that arrives in reverse order", "dev", "reversed"],
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
