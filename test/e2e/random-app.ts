/** Tests of views with random sources: each is a page of one app, and plays its steps once it is created in the browser, and once resumed. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { root } from "./demo-server.ts";
import { FixtureStage, hostFixtures, TABS, type FixtureHost } from "./fixture-story.ts";
import { Tape } from "./random-view.ts";

/** The view `NAME-open` begins with its content, which its first step would create. */
const APP = `
import { createApp, json, page, route } from "svckit";
const fixtures = Object.entries(import.meta.glob("./*/input.tsx", { eager: true })).flatMap(([file, { View, start, steps }]) => [
  { name: file.split("/")[1], View, start, steps },
  { name: file.split("/")[1] + "-open", View, start: { ...start, isOpen: true }, steps: steps.slice(1) },
]);
const stateOf = (ctx, start) => ({ ...start, ...JSON.parse(ctx.query.get("state") ?? "{}") });
export default createApp({
  routes: [route("GET", "/fixtures.json", () => json(fixtures))],
  pages: fixtures.map(({ name, View, start }) =>
    page("/" + name, { title: name, load: (ctx) => stateOf(ctx, start), view: (state) => <View {...state} /> }),
  ),
});
`;

/**
 * Declares the tests of random views.
 * @param kind of view, for names of tests and folders: `view`
 * @param sourceOf a module with the exports of a fixture, whose first step sets the state `isOpen`
 */
export function testRandom(kind: string, count: number, sourceOf: (tape: Tape) => string): void {
  /** Inside the repository, so that "svckit" resolves. */
  const app = join(root, "out", `random-${kind}s-${process.pid}`);
  const tapes = fc.sample(fc.array(fc.nat(9999), { minLength: 600, maxLength: 600 }), count);
  const names = tapes.map((_, at) => `${kind}-${at}`);

  describe(`a random ${kind}`, { concurrency: TABS }, () => {
    let host: FixtureHost;
    let stage: FixtureStage;

    before(async () => {
      for (const [at, name] of names.entries()) {
        mkdirSync(join(app, name), { recursive: true });
        writeFileSync(join(app, name, "input.tsx"), sourceOf(new Tape(tapes[at] ?? [])));
      }
      writeFileSync(join(app, "app.tsx"), APP);
      host = await hostFixtures("start", app);
      stage = await FixtureStage.open(host, "cold");
    });

    after(async () => {
      await stage?.close();
      await host?.close();
      if (!process.env["FUZZ_KEEP"]) rmSync(app, { recursive: true, force: true });
    });

    for (const name of names) {
      it(`${name} equals the server's when the browser renders it`, async () => {
        await stage.play(name);
      });
      it(`${name} equals the server's when the browser resumes it`, async () => {
        await stage.play(`${name}-open`);
      });
    }
  });
}
