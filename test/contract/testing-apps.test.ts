/** Tests of apps with `svckit/testing`: TypeScript and TSX from source, forms as a browser sends them, simulated time, open receivers. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createApp, type App } from "svckit";
import { buildApp } from "svckit/compiler";
import { createFullStackApp, Field, Form, submit } from "svckit/fullstack";
import { worker } from "svckit/graph";
import { html, t } from "svckit/jsx-runtime";
import { createTestClient, recordLog, SimulatedClock } from "svckit/testing";
import * as v from "valibot";

const ENV = {
  NODE_ENV: "test",
  SVC_DATABASE_URL: "memory:",
  SVC_SECRET: "s".repeat(32),
  SVC_SITE_URL: "https://example.com",
};
const PACKAGE = resolve(fileURLToPath(import.meta.url), "../../../..");

const FILES = {
  "package.json": '{ "type": "module" }',
  "actions.ts": `import { action } from "svckit"; export const double = action(async (n: number): Promise<number> => n * 2);`,
  "counter.tsx": `import { signal } from "svckit"; import { double } from "./actions.ts";
    export function Counter(props: { start: number }) {
      const count = signal<number>(props.start);
      return <button type="button" onClick={async () => (count.value = await double(count.value))}>Count: {count.value}</button>;
    }`,
  "counter.test.ts": `import assert from "node:assert/strict"; import { test } from "node:test";
    import { createApp, page } from "svckit"; import { html, component } from "svckit/jsx-runtime";
    import { createTestClient } from "svckit/testing";
    import { Counter } from "./counter.tsx"; import { double } from "./actions.ts";
    interface Props { start: number }
    const view = (props: Props) => html(() => component(Counter, props));
    const app = createApp({ actions: { double }, pages: [page("/", { title: "", view: () => view({ start: 3 }) })] });
    const client = createTestClient(app);
    test.after(() => app.close());
    test("a component renders", async () => {
      const response = await client.get("/");
      assert.equal(response.status, 200);
      assert.match(await response.text(), /Count: 3/);
    });
    test("an action runs", async () => assert.equal((await client.action("double", 4)).reply.value, 8));`,
  "open.js": `import { createReceiver } from "svckit/testing";
    const receiver = await createReceiver();
    await fetch(receiver.url, { method: "POST", body: "x" });
    console.log("received", receiver.deliveries.length);`,
};

/** An app whose page shows whether its worker has slept for a day. */
const SLEEPING_APP = {
  "package.json": '{ "type": "module" }',
  "app.tsx": `import { createApp, page } from "svckit";
    import { worker } from "svckit/graph";
    let state = "asleep";
    const nap = worker("nap", async (_input: null, ctx) => {
      await ctx.sleep("24h");
      return (state = "awake");
    });
    export default createApp({
      env: ${JSON.stringify(ENV)},
      pages: [page("/", { title: "Nap", view: () => <main>{state}</main> })],
      workers: [nap],
    });`,
};

describe("tests of an app's source", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-testing-"));
  const env = {
    PATH: process.env["PATH"],
    NODE_ENV: "test",
    SVC_DATABASE_URL: "memory:",
    SVC_LOG_LEVEL: "silent",
    SVC_SECRET: "s".repeat(32),
  };
  const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: folder, env });
  before(() => {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(PACKAGE, join(folder, "node_modules/svckit"), "dir");
    for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("import TypeScript and TSX with svckit/register, on every supported Node", async () => {
    // Without the types that newer versions remove themselves.
    const plain = process.allowedNodeEnvironmentFlags.has("--experimental-strip-types")
      ? ["--no-experimental-strip-types"]
      : [];
    const { stdout } = await run(
      ...plain,
      "--import",
      "svckit/register",
      "--test",
      "--test-reporter=tap",
      "counter.test.ts",
    );
    assert.match(stdout, /# pass 2\n# fail 0/);
  });

  it("end although a receiver is open", async () => {
    assert.equal((await run("open.js")).stdout, "received 1\n");
  });
});

describe("the test client", () => {
  const send = submit(
    "send",
    {
      schema: v.object({ name: v.pipe(v.string(), v.nonEmpty("Name it")), tags: v.array(v.string()) }),
      fields: { tags: "strings" },
      files: { picture: {} },
    },
    async ({ name, tags }, { files }) => ({ name, tags, bytes: files.picture[0]?.size }),
  );
  const form = (title: string) => ({
    default: () =>
      html(
        () =>
          `<h1>${title}</h1>${t(Form({ submit: send, children: html(() => t(Field({ of: send, name: "name", label: "Name" }))) }))}`,
      ),
  });
  const pages = { "./pages/index.tsx": form("Front"), "./pages/upload.tsx": form("Upload") };
  const app = createFullStackApp({ env: ENV, log: recordLog(), submits: [send] }, pages);
  after(() => app.close());

  it("sends files and lists with the token of the form", async () => {
    const client = createTestClient(app);
    const fields = { name: "A tree", tags: ["a", "b"], picture: new Blob(["png"]) };
    assert.equal((await client.submit("/_svc/submit/send", fields)).status, 303);
    const response = await client.submit("/_svc/submit/send", { name: "A tree", tags: ["a", "b"] });
    assert.equal(response.status, 303);
  });

  it("gets a rejected form on its own page: the last one, or the given one", async () => {
    const client = createTestClient(app);
    await client.get("/upload");
    assert.match(await (await client.submit("/_svc/submit/send", { name: "" })).text(), /<h1>Upload<\/h1>[^]*Name it/);
    const other = await client.submit("/_svc/submit/send", { name: "", picture: new Blob(["png"]) }, "/");
    assert.match(await other.text(), /<h1>Front<\/h1>[^]*Name it/);
  });
});

describe("an app that is booted with a clock", () => {
  it("waits on that clock", async () => {
    const clock = new SimulatedClock();
    const nap = worker("nap", async (_input: null, ctx) => {
      await ctx.sleep("24h");
      return "awake";
    });
    const app = createApp({ env: ENV, log: recordLog(), workers: [nap] });
    await app.boot({ clock });
    const { snapshot } = await app.engine.start("nap", null);
    const result = app.engine.result(snapshot.graph_id);
    for (let hour = 0; hour < 25; hour++) await clock.advance(60 * 60 * 1000);
    assert.equal(await result, "awake");
    await app.close();
  });

  it("waits on that clock after `svc build`, with requests from a socket", async () => {
    const root = mkdtempSync(join(tmpdir(), "svc-clock-"));
    mkdirSync(join(root, "node_modules"));
    symlinkSync(PACKAGE, join(root, "node_modules/svckit"), "dir");
    for (const [file, text] of Object.entries(SLEEPING_APP)) writeFileSync(join(root, file), text);
    const { outDir } = await buildApp({ root });
    const { default: app } = (await import(pathToFileURL(join(outDir, "server/app.js")).href)) as { default: App };
    const clock = new SimulatedClock();
    const { url, close } = await app.start({ dist: outDir, host: "127.0.0.1", port: 0, clock });
    const shown = async () => /<main>(.*?)<\/main>/.exec(await (await fetch(url)).text())?.[1];
    const { snapshot } = await app.engine.start("nap", null);
    assert.equal(await shown(), "asleep");
    for (let hour = 0; hour < 25; hour++) await clock.advance(60 * 60 * 1000);
    assert.equal(await app.engine.result(snapshot.graph_id), "awake");
    assert.equal(await shown(), "awake");
    await close();
    rmSync(root, { recursive: true, force: true });
  });
});
