/**
 * Bytes that a browser loads, measured on the built files: the runtime assets (run "npm run build" first) and the demo's
 * pages, which this script builds.
 *
 *   node out/scripts/sizes.js             prints the table
 *   node out/scripts/sizes.js --update    also writes sizes.json and the table in README.md
 *   node out/scripts/sizes.js --check     fails if sizes.json, or the file named after it, differs from the measurement
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildApp } from "svckit/compiler";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const assets = join(root, "out/assets");
const RECORD = join(root, "sizes.json");

interface Size {
  raw: number;
  gzip: number;
}

/** One line of the table: a file, or everything that a page has loaded at some time. */
interface Row extends Size {
  name: string;
  /** Largest allowed gzip size (the goals of the design, contract section 6). */
  goalGzip?: number;
}

const GOALS: Record<string, number> = {
  "stub.js": 200,
  "swap.js": 300,
  "loader.js": 800,
  "links.js": 600,
  "counter: first click": 2500,
  "todo: first use": 4500,
  "widgets: all, including polyfills for older browsers": 6144,
  "graphs: flow.js with all its parts": 12_288,
  "operators' screen of a run: ops.js, resizable panes, live graph": 12_288,
  "operators' screens: all scripts": 16_384,
  "ops.css": 8192,
  "static page: total": 0,
};

/** Scripts of widgets. A page loads those that it uses; only browsers that lack a feature load the first one. */
const WIDGETS = ["ui.js", "ui-menu.js", "ui-theme.js", "ui-gesture.js", "virtual.js", "toast.js"];

/** Widgets of graphs and live updates; pages load the parts that they use. */
const LIVE = ["flow-live.js", "flow-graph.js", "flow-log.js"];
const FLOW = ["flow.js", ...LIVE];
/** The operators' screens: the common script, the scripts of a run's screen, and scripts on demand. */
const OPS = ["ops.js", "ops-splitter.js", "ops-brush.js", "ops-entries.js", "ops-palette.js"];
const RUN = ["ops.js", "ops-splitter.js", "flow-live.js", "flow-graph.js"];

/** zlib differs a little between Node versions; the raw bytes must agree exactly. */
const GZIP_TOLERANCE_BYTES = 8;

async function sizeOf(file: string): Promise<Size> {
  const bytes = await readFile(file);
  return { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
}

const sum = (sizes: Size[]): Size => ({
  raw: sizes.reduce((total, size) => total + size.raw, 0),
  gzip: sizes.reduce((total, size) => total + size.gzip, 0),
});

async function measure(): Promise<Row[]> {
  const outDir = await mkdtemp(join(tmpdir(), "svc-sizes-"));
  try {
    const demo = await buildApp({ root: join(root, "demo"), outDir: join(outDir, "demo") });
    const bench = await buildApp({ root: join(root, "bench/app"), outDir: join(outDir, "bench") });
    const asset = (name: string): Promise<Size> => sizeOf(join(assets, name));
    const chunk = ({ outDir: dist, manifest }: typeof demo, module: string): Promise<Size> =>
      sizeOf(join(dist, "client/handler", `${manifest.chunks[module] ?? `no chunk of ${module}`}.js`));
    const names = [
      "stub.js",
      "loader.js",
      "core.js",
      "region.js",
      "attr.js",
      "raw.js",
      "store.js",
      "data.js",
      "act.js",
      "lines.js",
      "call.js",
      "form.js",
      "moments.js",
      "prefetch.js",
      "ref.js",
      "fn.js",
      "stream.js",
      "resource.js",
      "swap.js",
      "effect.js",
      "portal.js",
      "boundary.js",
      "select.js",
      "links.js",
      "visit.js",
      "page-swap.js",
      "reseat.js",
      "navigate.js",
      "token.js",
      "runtime.js",
      ...FLOW,
      ...WIDGETS,
      ...OPS,
      "ui.css",
      "flow.css",
      "ops.css",
    ];
    const files = await Promise.all(names.map(async (name) => ({ name, ...(await asset(name)) })));
    const together = async (parts: string[], built: typeof demo, module: string): Promise<Size> =>
      sum(await Promise.all([...parts.map(asset), chunk(built, module)]));
    const list = ["loader.js", "core.js", "region.js", "store.js"];
    const rows = [
      ...files,
      { name: "counter: first click", ...(await together(["loader.js", "core.js"], demo, "pages/counter.tsx")) },
      // Add, toggle, remove: the operations of the benches.
      { name: "todo: first use", ...(await together(list, bench, "pages/todo.tsx")) },
      {
        name: "demo's todo, which filters and edits: first use",
        ...(await together([...list, "select.js"], demo, "pages/todo.tsx")),
      },
      {
        name: "widgets: all, including polyfills for older browsers",
        ...sum(await Promise.all(WIDGETS.map(asset))),
      },
      { name: "graphs: flow.js with all its parts", ...sum(await Promise.all(FLOW.map(asset))) },
      {
        name: "operators' screen of a run: ops.js, resizable panes, live graph",
        ...sum(await Promise.all(RUN.map(asset))),
      },
      {
        name: "operators' screens: all scripts",
        ...sum(await Promise.all([...LIVE, ...OPS].map(asset))),
      },
      { name: "static page: total", ...sum([]) },
    ];
    return rows.map((row) => (row.name in GOALS ? { ...row, goalGzip: GOALS[row.name] as number } : row));
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

/** Whether the README shows a row: rows with a goal, and totals of pages. The others are only in sizes.json. */
function isReported({ name, goalGzip }: Row): boolean {
  return goalGzip !== undefined || name.includes(": ");
}

function table(rows: readonly Row[]): string {
  const number = (value: number | undefined): string => (value === undefined ? "" : value.toLocaleString("en-US"));
  const lines = rows.map(
    (row) => `| ${row.name} | ${number(row.raw)} | ${number(row.gzip)} | ${number(row.goalGzip)} |`,
  );
  return ["| | bytes | gzip | goal, gzip |", "|---|---:|---:|---:|", ...lines].join("\n");
}

/** Differences between the record and the measurement, and rows over their goal. */
function complaints(measured: readonly Row[], recorded: readonly Row[]): string[] {
  const before = new Map(recorded.map((row) => [row.name, row]));
  const changed = measured.flatMap((row) => {
    const known = before.get(row.name);
    const isSame = known?.raw === row.raw && Math.abs(known.gzip - row.gzip) <= GZIP_TOLERANCE_BYTES;
    return isSame
      ? []
      : [`${row.name}: ${row.raw} B, gzip ${row.gzip} B; on record ${known?.raw} B, gzip ${known?.gzip} B`];
  });
  const over = measured.flatMap((row) =>
    row.goalGzip !== undefined && row.gzip > row.goalGzip
      ? [`${row.name}: gzip ${row.gzip} B is over ${row.goalGzip} B`]
      : [],
  );
  const gone = recorded
    .filter((row) => !measured.some(({ name }) => name === row.name))
    .map((row) => `${row.name}: is no longer measured`);
  return [...changed, ...over, ...gone];
}

async function update(rows: readonly Row[]): Promise<void> {
  await writeFile(RECORD, `${JSON.stringify(rows, null, 2)}\n`);
  const readme = join(root, "README.md");
  const text = await readFile(readme, "utf8");
  const section = /<!-- sizes:start -->[^]*<!-- sizes:end -->/;
  await writeFile(
    readme,
    text.replace(section, () => `<!-- sizes:start -->\n\n${table(rows.filter(isReported))}\n\n<!-- sizes:end -->`),
  );
}

const [mode, file = RECORD] = process.argv.slice(2);
const rows = await measure();
if (mode === "--check") {
  const recorded = JSON.parse(await readFile(file, "utf8")) as Row[];
  const found = complaints(rows, recorded);
  for (const line of found) console.error(line);
  if (found.length > 0)
    console.error("If the change is intended, run npm run sizes -- --update and give the reason in the commit.");
  process.exitCode = found.length > 0 ? 1 : 0;
} else {
  if (mode === "--update") await update(rows);
  console.log(table(rows));
}
