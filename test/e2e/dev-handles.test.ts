/** Databases that an app has open under `svc dev`: edits close those of the apps before, so their number stays the same. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root, startDemo, type DemoServer } from "./demo-server.ts";

/** Inside the repository, so that "svckit" and "libsql" resolve. */
const folder = join(root, "out", `dev-handles-${process.pid}`);

const editsFile = (count: number): string => `export const edits = ${count};\n`;
const FILES: Readonly<Record<string, string>> = {
  "edits.ts": editsFile(0),
  "own-database.ts": `import Database from "libsql";
const database = new Database(process.env.OWN_DATABASE);
database.exec("create table if not exists t (a)");
import.meta.hot?.dispose(() => database.close());
`,
  "app.ts": `import { readdirSync, readlinkSync } from "node:fs";
import { createApp, json, route } from "svckit";
import { worker } from "svckit/graph";
import { edits } from "./edits.ts";
import "./own-database.ts";

function open() {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const path = readlinkSync("/proc/self/fd/" + name);
      return /\\.db\\b/.test(path) ? [path] : [];
    } catch {
      return [];
    }
  });
}

export default createApp({
  workers: [worker("noop", () => 1)],
  routes: [route("GET", "/handles", () => json({ edits, open: open().sort() }))],
});
`,
};

interface Handles {
  edits: number;
  open: string[];
}

describe("An app with databases under svc dev", { skip: process.platform !== "linux" && "needs /proc" }, () => {
  let server: DemoServer;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    const env = { NODE_ENV: "development", OWN_DATABASE: join(folder, "own.db") };
    server = await startDemo({ app: folder, command: "dev", dataDir: join(folder, ".svc"), env });
  });
  after(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Asks until the app has loaded an edit, and closed what the app before it had open. */
  async function handlesAfter(edits: number, isExpected: (open: readonly string[]) => boolean): Promise<void> {
    const end = performance.now() + 60_000;
    for (;;) {
      const found = (await (await fetch(`${server.url}/handles`)).json()) as Handles;
      if (found.edits === edits && isExpected(found.open)) return;
      assert.ok(performance.now() < end, `After edit ${edits}: ${JSON.stringify(found)}\n${server.output()}`);
    }
  }

  it("has no more of them open after six edits than after two", async () => {
    let most = 0;
    await handlesAfter(0, (open) => ["/svc.db", "/own.db"].every((name) => open.some((path) => path.endsWith(name))));
    for (let edit = 1; edit <= 6; edit++) {
      writeFileSync(join(folder, "edits.ts"), editsFile(edit));
      await handlesAfter(edit, (open) => {
        // The app before the running one may still be in memory.
        if (edit <= 2) most = open.length;
        return open.length <= most;
      });
    }
  });
});
