/**
 * A property: whatever a view is made of, what the browser makes of it from scratch, and what it makes of the server's page
 * as the data changes, is what the server sends. `FUZZ_SEED` tries other views.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { root } from "./demo-server.ts";
import { FixtureStage, hostFixtures, TABS, type FixtureHost } from "./fixture-story.ts";
import { randomData, randomView, Tape } from "./random-view.ts";

const VIEWS = Number(process.env["FUZZ_VIEWS"] ?? 40);

/** Below the repository, so that "svc" is found. */
const app = join(root, "out", `random-views-${process.pid}`);

const APP = `
import { createApp, json, page, route } from "svc";
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

/** A view that can be shut, in three states, kept in a computed or in a store. */
function sourceOf(tape: Tape): string {
  const isStore = tape.chance(50);
  const data = isStore ? "box.data" : "data.value";
  const all = [randomData(tape), randomData(tape), randomData(tape)];
  return `import { computed, For, Show, signal, store } from "svc";
export function View(props) {
  const isOpen = signal(props.isOpen);
  const at = signal(props.at);
  ${isStore ? "const box = store({ data: props.all[props.at] });" : "const data = computed(() => props.all[at.value]);"}
  return (
    <main>
      <button id="open" onClick={() => (isOpen.value = !isOpen.value)}>open</button>
      <button id="next" onClick={() => { at.value = (at.value + 1) % 3; ${isStore ? "box.data = props.all[at.value];" : ""} }}>next</button>
      {isOpen.value && ${randomView(tape, data)}}
    </main>
  );
}
const all = ${JSON.stringify(all)};
export const start = { isOpen: false, at: 0, all };
const open = (isOpen) => ({ on: "click", at: "#open", to: { isOpen } });
const next = (at) => ({ on: "click", at: "#next", to: { at } });
export const steps = [open(true), next(1), next(2), open(false), next(0), open(true), next(1)];
`;
}

const tapes = fc.sample(fc.array(fc.nat(9999), { minLength: 400, maxLength: 400 }), VIEWS);
const names = tapes.map((_, at) => `view-${at}`);

describe("views at random", { concurrency: TABS }, () => {
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
    it(`${name} is the server's when the browser makes it`, async () => {
      await stage.play(name);
    });
    it(`${name} is the server's when the browser takes it over`, async () => {
      await stage.play(`${name}-open`);
    });
  }
});
