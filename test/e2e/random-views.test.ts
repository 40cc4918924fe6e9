/**
 * A property of arbitrary views: a view rendered in the browser, and a server page resumed and updated in the browser, both equal the
 * server's page for the same data. `FUZZ_SEED` selects other views.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { root } from "./demo-server.ts";
import { FixtureStage, hostFixtures, TABS, type FixtureHost } from "./fixture-story.ts";
import { randomChanges, randomData, randomView, Tape } from "./random-view.ts";

const VIEWS = Number(process.env["FUZZ_VIEWS"] ?? 24);

/** Inside the repository, so that "svckit" resolves. */
const app = join(root, "out", `random-views-${process.pid}`);

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

/** A view that can be closed and whose data changes. The data is in a store, or in a signal with a component that shows it too. */
function sourceOf(tape: Tape): string {
  const isStore = tape.chance(50);
  const data = isStore ? "box.data" : "data.value";
  const first = randomData(tape);
  const { source, story } = randomChanges(tape, first, 6);
  const part = isStore ? "" : `function Part(props) { return ${randomView(tape, "props.data.value")}; }`;
  return `import { Case, For, Match, Show, signal, store } from "svckit";
const CHANGES = ${source};
${part}
export function View(props) {
  const isOpen = signal(props.isOpen);
  ${isStore ? "const box = store({ data: props.data });" : "const data = signal(props.data);"}
  const change = (at) => {
    ${isStore ? "CHANGES[at](box.data);" : "const next = structuredClone(data.value); CHANGES[at](next); data.value = next;"}
  };
  return (
    <main>
      <button id="open" onClick={() => (isOpen.value = !isOpen.value)}>open</button>
      <button id="change" onPointerDown={(event) => change(event.button)}>change</button>
      ${isStore ? "" : "<Part data={data} />"}
      {isOpen.value && ${randomView(tape, data)}}
    </main>
  );
}
export const start = { isOpen: false, data: ${JSON.stringify(first)} };
const open = (isOpen) => ({ on: "click", at: "#open", to: { isOpen } });
const change = ([button, data]) => ({ on: "pointerdown", at: "#change", event: { button }, to: { data } });
const [a, b, c, d, e, f] = ${JSON.stringify(story)}.map(change);
export const steps = [open(true), a, b, c, open(false), d, open(true), e, f];
`;
}

const tapes = fc.sample(fc.array(fc.nat(9999), { minLength: 600, maxLength: 600 }), VIEWS);
const names = tapes.map((_, at) => `view-${at}`);

describe("a random view", { concurrency: TABS }, () => {
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
