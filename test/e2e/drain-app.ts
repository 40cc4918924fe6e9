/**
 * An app in the output format of `svc build`, under `svc start`. Its requests and workers wait for files, so that a test decides
 * when they continue.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, startDemo, type DemoServer } from "./demo-server.ts";

const SOURCE = `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { createApp, route } from "svckit";
import { graph, worker } from "svckit/graph";

const folder = process.env.GATES;
const note = (text) => appendFileSync(folder + "/journal", text + "\\n");
const gate = async (name, signal) => {
  note("at " + name);
  while (!existsSync(folder + "/" + name)) await wait(10, undefined, { signal });
};
const step = (name) => worker(name, async (_input, ctx) => {
  if (name === "second") await gate("second", ctx.signal);
  note("done " + name);
  return name;
});

export default createApp({
  routes: [
    route("GET", "/slow", async () => {
      await gate("slow");
      return new Response("slow but whole");
    }),
    route("GET", "/crash", () => {
      setImmediate(() => {
        throw new Error("nobody catches this");
      });
      return new Response("soon");
    }),
    route("GET", "/stuck", () => gate("stuck")),
  ],
  graphs: [
    graph("steps", (g) => {
      const first = g.node("first", step("first"));
      const second = g.node("second", step("second"), { after: [first] });
      return g.node("third", step("third"), { after: [second] });
    }),
  ],
  drain: { deadline: process.env.DEADLINE },
});
`;

export interface DrainApp {
  /** @param deadline of the drain */
  start(deadline: string): Promise<DemoServer>;
  /** Lets work that waits for this file continue. */
  open(gate: string): void;
  /** The journal of the app, one entry per line. */
  journal(): string[];
  remove(): void;
}

export function drainApp(): DrainApp {
  // Inside the repository, so that "svckit" resolves to this package.
  const folder = join(root, "out", `drain-${process.pid}`);
  mkdirSync(join(folder, "dist/server"), { recursive: true });
  writeFileSync(join(folder, "dist/server/app.js"), SOURCE);
  writeFileSync(join(folder, "dist/manifest.json"), JSON.stringify({ build: "0", chunks: {}, actions: [] }));
  const journal = join(folder, "journal");
  return {
    start: (deadline) =>
      startDemo({ app: folder, dataDir: join(folder, ".svc"), env: { GATES: folder, DEADLINE: deadline } }),
    open: (gate) => writeFileSync(join(folder, gate), ""),
    journal: () => (existsSync(journal) ? readFileSync(journal, "utf8").trim().split("\n") : []),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
