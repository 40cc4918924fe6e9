/**
 * Checks that memory stays flat over many renders: whole pages, streams that are read to their end, and streams whose reader
 * disconnects while a piece is pending. Prints the heap after a garbage collection at each tenth of the renders, and fails if it has grown.
 *
 *   node --expose-gc out/scripts/measure-memory.js [renders, default 100000]
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { App } from "svckit";
import { buildApp } from "svckit/compiler";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
/** Inside the repository, so that "svckit" resolves to this package. */
const folder = join(root, "out", `memory-${process.pid}`);

/** More than the variation between collections, and less than a leak of 20 bytes per render over 100,000 renders. */
const ALLOWED_GROWTH_BYTES = 2_000_000;

const SOURCE = `
import { Await, createApp, page, resource, signal, store } from "svckit";

const later = (value) => new Promise((done) => setImmediate(() => setImmediate(() => setImmediate(() => done(value)))));

function Counter(props) {
  const count = signal(props.start);
  return <button onClick={() => count.value++}>Count {count.value}</button>;
}

function Plain() {
  const list = store({ items: ["a", "b"] });
  return <main><Counter start={1} /><ul>{list.items.map((item) => <li onClick={() => list.items.push(item)}>{item}</li>)}</ul></main>;
}

function Streamed() {
  const id = signal(1);
  const found = resource(() => id.value, (value) => later({ value }));
  return (
    <main>
      <Counter start={2} />
      <button onClick={() => id.value++}>Next</button>
      <Await value={later("text")} pending={<i>wait</i>}>{(text) => <p>{text} <Counter start={3} /></p>}</Await>
      <Await value={found}>{({ value }) => <p>{value}</p>}</Await>
      <Await value={later(0).then(() => { throw new Error("x"); })} catch={<b>failed</b>}>{() => <p />}</Await>
    </main>
  );
}

export default createApp({
  pages: [
    page("/", { title: "Plain", view: () => <Plain /> }),
    page("/streamed", { title: "Streamed", view: () => <Streamed /> }),
  ],
  env: { SVC_DATABASE_URL: "memory:", SVC_DATA_DIR: ${JSON.stringify(folder)}, SVC_SECRET: "s".repeat(32), NODE_ENV: "test", SVC_LOG_LEVEL: "silent" },
});
`;

async function load(): Promise<App> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "app.tsx"), SOURCE);
  const { outDir } = await buildApp({ root: folder });
  const { default: app } = (await import(pathToFileURL(join(outDir, "server/app.js")).href)) as { default: App };
  await app.boot({ dist: outDir });
  return app;
}

/** One render of each kind in turn. */
async function render(app: App, turn: number): Promise<void> {
  const path = turn % 3 === 0 ? "/" : "/streamed";
  const response = await app.fetch(new Request(`http://localhost${path}`));
  if (turn % 3 < 2) return void (await response.arrayBuffer());
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

function heapBytes(): number {
  if (!globalThis.gc) throw new Error("Start node with --expose-gc. Otherwise the heap includes garbage");
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const renders = Number(process.argv[2] ?? 100_000);
const app = await load();
try {
  const heaps: number[] = [];
  const startMs = performance.now();
  for (let turn = 0; turn < renders; turn++) {
    await render(app, turn);
    if ((turn + 1) % Math.ceil(renders / 10) !== 0) continue;
    heaps.push(heapBytes());
    console.log(`${turn + 1} renders: ${((heaps.at(-1) ?? 0) / 1e6).toFixed(2)} MB`);
  }
  const seconds = (performance.now() - startMs) / 1000;
  // The first tenth warms up.
  const growthBytes = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0);
  console.log(`Growth ${(growthBytes / 1e6).toFixed(2)} MB; ${Math.round(renders / seconds)} renders a second`);
  process.exitCode = growthBytes > ALLOWED_GROWTH_BYTES ? 1 : 0;
} finally {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
}
