/**
 * Errors name the line and column that the author wrote: in the browser by the chunk's source map, on the server in the log; in
 * development and in production.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";
import { startDevApp, type DevApp } from "./dev-app.ts";

const fixture = join(root, "test/fixtures/dev");
const source = readFileSync(join(fixture, "pages/faults.tsx"), "utf8");

/** Error -> the element to click, and the text at the position of the throw. */
const FAULTS: Record<string, { click: string; at: string }> = {
  "handler of click": { click: "#handler", at: "new Error(`planted in handler" },
  text: { click: "#texts button", at: 'check(count.value, "text")' },
  attribute: { click: "#attributes button", at: 'check(count.value, "attribute")' },
  computed: { click: "#computeds button", at: 'check(count.value, "computed")' },
  effect: { click: "#effects button", at: 'check(depth.value, "effect")' },
  row: { click: "#fill", at: 'check(row.count, "row")' },
  "handler of row 1": { click: "#rows li button", at: "check(1, `handler of row" },
  branch: { click: "#open", at: 'check(isOpen.value ? 1 : 0, "branch")' },
  "local function": { click: "#local", at: "check(1, `local" },
};

/** `line:column` of `text` in the fixture. */
function placeOf(text: string, file = source): string {
  const before = file.slice(0, file.indexOf(text));
  return `${before.split("\n").length}:${before.length - before.lastIndexOf("\n")}`;
}

/** The calls in the app's chunk, innermost first, mapped to the source. */
async function callsOf(stack: string, mapOf: (chunk: string) => Promise<SourceMap>): Promise<string[]> {
  const calls = [...stack.matchAll(/\/handler\/([\w-]+)\.js:(\d+):(\d+)/g)];
  return Promise.all(
    calls.map(async ([, chunk = "", line, column]) => {
      const entry = (await mapOf(chunk)).findEntry(Number(line) - 1, Number(column) - 1);
      return "originalSource" in entry
        ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
        : "nowhere";
    }),
  );
}

/** The positions in the error of a click. */
async function thrownBy(
  page: Page,
  fault: string,
  url: string,
  mapOf: (chunk: string) => Promise<SourceMap>,
): Promise<string[]> {
  await page.goto(url);
  const message = `planted in ${fault}\n`;
  // An error of a first event is logged in the console; later ones are page errors.
  const thrown = new Promise<string>((report) => {
    page.on("pageerror", ({ stack = "" }) => void (stack.includes(message) && report(stack)));
    page.on("console", (line) => void (line.text().includes(message) && report(line.text())));
  });
  await page.locator(FAULTS[fault]?.click ?? "").click();
  return callsOf(await thrown, mapOf);
}

const mapFrom = (json: string): SourceMap => new SourceMap(JSON.parse(json) as SourceMapPayload);

/** @param made the expression of the error. Minified code has `Error(…)` for `new Error(…)`, which is equivalent. */
function assertThrows(actual: string[], fault: string, made: "new Error" | "Error"): void {
  const { at = "" } = FAULTS[fault] ?? {};
  const place = `pages/faults.tsx:${placeOf(at.replace("new Error", made))}`;
  const places = at.startsWith("check")
    ? [`pages/faults.tsx:${placeOf(`${made}(\`planted in \${where}`)}`, place]
    : [place];
  assert.deepEqual(actual.slice(0, places.length), places);
}

/** The log from the error on, once it is there. A built app logs JSON, whose escaped line ends are restored. */
async function logged(output: () => string, message: string): Promise<string> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const log = output().replaceAll("\\n", "\n");
    const at = log.indexOf(message);
    if (at >= 0 && log.slice(at).includes("\n    at ")) return log.slice(at);
    await new Promise((done) => setTimeout(done, 10));
  }
  return assert.fail(`${message} was never logged:\n${output()}`);
}

async function assertServerPlaces(server: { url: string; output(): string }, folder: string): Promise<void> {
  const lines = (text: string): string[] =>
    [...text.matchAll(/^ {4}at (?:async )?(?:(\S+) )?\(?(?:file:\/\/)?([^()\s]+?:\d+:\d+)\)?$/gm)].map(
      ([, name, place = ""]) => `${name} ${place}`,
    );
  const page = await fetch(`${server.url}/falling`);
  assert.equal(page.status, 500);
  const calls = lines(await logged(() => server.output(), "planted in component")).map((line) =>
    line.replace(`${folder}/`, ""),
  );
  const call = `pages/faults.tsx:${placeOf('check(props.left, "component")')}`;
  assert.equal(calls[0], `check pages/faults.tsx:${placeOf("new Error(`planted in ${where}")}`);
  // In development a function around the expression detects reads of signals. The call of that is the component's.
  assert.equal(calls[1]?.split(" ").at(-1), call);
  assert.ok(
    calls.some((line) => line.startsWith("Falling pages/faults.tsx:")),
    calls.join("\n"),
  );
  assert.ok(calls.includes(`FallingPage pages/faults.tsx:${placeOf("<Falling left={left}")}`), calls.join("\n"));
}

async function assertActionPlace(page: Page, server: { url: string; output(): string }, folder: string): Promise<void> {
  await page.goto(`${server.url}/faults`);
  await page.locator("#act").click();
  const actions = readFileSync(join(fixture, "actions.ts"), "utf8");
  const log = await logged(() => server.output(), "planted in the action");
  assert.ok(log.includes(`${folder}/actions.ts:${placeOf('new Error("planted in the action', actions)}`), log);
}

let browser: Browser;
let page: Page;

before(async () => {
  browser = await launchBrowser();
  page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(10_000);
});

after(() => browser?.close());

describe("in development, an error", () => {
  let app: DevApp;
  before(async () => {
    app = await startDevApp("maps");
  });
  after(() => app?.stop());

  const mapOf = async (chunk: string): Promise<SourceMap> => {
    const code = await (await fetch(`${app.url}/_svc/handler/${chunk}.js`)).text();
    return mapFrom(Buffer.from(code.split("base64,")[1] ?? "", "base64").toString());
  };

  for (const fault of Object.keys(FAULTS)) {
    it(`in the browser names its position: ${fault}`, { timeout: 15_000 }, async () => {
      assertThrows(await thrownBy(page, fault, `${app.url}/faults`, mapOf), fault, "new Error");
    });
  }

  it("of a component on the server names its position in the log", () => assertServerPlaces(app, app.folder));

  it("of an action names its position in the log", () => assertActionPlace(page, app, app.folder));
});

describe("in production, an error", () => {
  const data = temporaryFolder();
  let server: DemoServer;
  before(async () => {
    await buildDemo(fixture);
    server = await startDemo({ app: fixture, dataDir: data.path });
  });
  after(async () => {
    await server?.stop();
    data.remove();
  });

  const mapOf = async (chunk: string): Promise<SourceMap> =>
    mapFrom(readFileSync(join(fixture, `dist/maps/handler/${chunk}.js.map`), "utf8"));

  for (const fault of Object.keys(FAULTS)) {
    it(`in the browser maps to its position with the separate source map: ${fault}`, { timeout: 15_000 }, async () => {
      assertThrows(await thrownBy(page, fault, `${server.url}/faults`, mapOf), fault, "Error");
    });
  }

  it("of a component on the server names its position in the log", () => assertServerPlaces(server, fixture));

  it("of an action names its position in the log", () => assertActionPlace(page, server, fixture));

  it("reveals no source map: none is linked by a chunk or served", async () => {
    const { chunks } = JSON.parse(readFileSync(join(fixture, "dist/manifest.json"), "utf8")) as {
      chunks: Record<string, string>;
    };
    const url = `${server.url}/_svc/handler/${chunks["pages/faults.tsx"]}.js`;
    const code = await fetch(url);
    assert.equal(code.status, 200);
    assert.doesNotMatch(await code.text(), /sourceMappingURL/);
    assert.equal((await fetch(`${url}.map`)).status, 404);
  });
});
