/** The pages that an app can export, and the reasons for those that it can't: without a build, in memory. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { createApp, invalidate, page, type Context, type PageDefinition } from "svckit";
import type { ExportStep } from "svckit/internal";
import { html, t } from "svckit/jsx-runtime";
import { recordLog } from "svckit/testing";
import { LOOKS } from "./cached-site.ts";

/** The folder of a build without browser code. */
function newDist(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-export-"));
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ build: "b1", chunks: {}, actions: [] }));
  return folder;
}

const dist = newDist();
const env = {
  NODE_ENV: "production",
  SVC_DATABASE_URL: "memory:",
  SVC_SECRET: "s".repeat(32),
  SVC_SITE_URL: "https://example.com",
};

async function stepsOf(pages: readonly PageDefinition[], from = dist): Promise<ExportStep[]> {
  const app = createApp({ pages, env, log: recordLog() });
  const steps: ExportStep[] = [];
  try {
    for await (const step of app.exportPages(from)) steps.push(step);
  } finally {
    await app.close();
  }
  return steps;
}

const plain = { title: "Plain", view: () => "here" };
const ofNames = (names: readonly (string | undefined)[]) => () => names.map((name) => ({ name }));

describe("exporting pages", () => {
  after(() => rmSync(dist, { recursive: true, force: true }));

  for (const [name, look] of Object.entries(LOOKS)) {
    it(`omits a page that reads a visitor's request, with the reason: ${name}`, async () => {
      const load = (ctx: Context): unknown => look(ctx);
      const [step] = await stepsOf([page("/", { ...plain, load, view: (data) => html(() => t(String(data))) })]);
      assert.ok(step?.kind === "left-out" && /^reads .+ of the request$/.test(step.why), JSON.stringify(step));
    });
  }

  it("omits each entry of a page that reads a visitor's request, whatever the script of its name", async () => {
    const load = (ctx: Context): unknown => (ctx.params["name"] === "x" ? "" : ctx.cookies["a"]);
    const steps = await stepsOf([page("/a/:name", { ...plain, load, entries: ofNames(["x", "ü", "a/b", "a%2Fb"]) })]);
    assert.deepEqual(
      steps.map(({ kind, path }) => [kind, path]),
      [
        ["file", "/a/x"],
        ["left-out", "/a/%C3%BC"],
        ["left-out", "/a/a%2Fb"],
        ["left-out", "/a/a%252Fb"],
      ],
    );
  });

  it("writes no two paths to one file: it omits the second and names the first", async () => {
    const steps = await stepsOf([
      page("/a/:name", { ...plain, static: true, entries: ofNames(["a/b", "a%2Fb", "a/b"]) }),
      page("/c/:name", { ...plain, entries: ofNames(["%2F", "/"]) }),
    ]);
    assert.deepEqual(
      steps.map((step) => [step.path, step.kind === "file" ? step.name : [step.why, step.isRequired]]),
      [
        ["/a/a%2Fb", "a/a%2Fb/index.html"],
        ["/a/a%252Fb", ["would have the same file name as /a/a%2Fb: a/a%2Fb/index.html", true]],
        ["/a/a%2Fb", "a/a%2Fb/index.html"],
        ["/c/%252F", "c/%2F/index.html"],
        ["/c/%2F", ["would have the same file name as /c/%252F: c/%2F/index.html", false]],
      ],
    );
  });

  it("reports that an omitted page is required", async () => {
    const [step] = await stepsOf([page("/", { ...plain, static: true, load: ({ cookies }) => cookies["a"] })]);
    assert.deepEqual(step, { kind: "left-out", path: "/", why: "reads cookies of the request", isRequired: true });
  });

  it("exports a page with private cache rules if it contains no visitor's data", async () => {
    const [step] = await stepsOf([page("/", { ...plain, cache: { maxAge: "1m" } })]);
    assert.equal(step?.kind, "file");
  });

  it("rejects a page that is static and private", () => {
    assert.throws(() => page("/", { ...plain, static: true, cache: { public: false } }), {
      code: "SVC_DEFINITION",
      message: /has static: true, but its cache has public: false/,
    });
  });

  it("writes a file for each entry whose parameters match the path", async () => {
    const steps = await stepsOf([
      page("/a/:name", { ...plain, entries: ofNames(["x", "a b", "ü", "1%2", undefined]) }),
      page("/b", { ...plain, entries: ofNames(["x", undefined]) }),
      page("/c/**:name", { ...plain, entries: ofNames(["x/y z"]) }),
    ]);
    assert.deepEqual(
      steps.map((step) => (step.kind === "file" ? step.name : step.why)),
      [
        "a/x/index.html",
        "a/a b/index.html",
        "a/ü/index.html",
        "a/1%2/index.html",
        "b/index.html",
        "c/x/y z/index.html",
      ],
    );
  });

  for (const name of ["..", "a/../../x", "a\\b", "\u0000", "../../etc/passwd"]) {
    it(`writes nothing outside of its folder: ${JSON.stringify(name)}`, async () => {
      const steps = await stepsOf([
        page("/a/:name", { ...plain, entries: ofNames([name]) }),
        page("/b/**:name", { ...plain, entries: ofNames([name]) }),
      ]).catch((error: unknown) => {
        assert.match(String(error), /can't be exported|SVC_BAD_REQUEST/);
        return [];
      });
      for (const step of steps)
        if (step.kind === "file")
          assert.ok(!step.name.split("/").includes("..") && !/[\\\p{Cc}]/u.test(step.name), step.name);
    });
  }
});

describe("an exported page", () => {
  const served = newDist();
  after(() => rmSync(served, { recursive: true, force: true }));

  /** Writes the files as the command does. */
  function write(steps: readonly ExportStep[]): void {
    const files = steps.filter((step) => step.kind === "file");
    for (const { name, body } of files) {
      mkdirSync(dirname(join(served, "static", name)), { recursive: true });
      writeFileSync(join(served, "static", name), body);
    }
    writeFileSync(
      join(served, "static.json"),
      JSON.stringify(files.map(({ path, name, hashes }) => ({ path, name, hashes }))),
    );
  }

  it("is served at its address until its path is invalidated, whatever the script of that path", async (test) => {
    let made = 0;
    const load = (): number => ++made;
    const view = (count: unknown): unknown => html(() => `<p>${t(String(count))}</p>`);
    const entries = ofNames(["ü", "a/b"]);
    const pages = [page("/a/:name", { ...plain, static: true, load, view, entries })];
    write(await stepsOf(pages, served));
    const app = createApp({ pages, env, log: recordLog() });
    test.after(() => app.close());
    await app.boot({ dist: served });
    const shown = async (path: string): Promise<string | undefined> =>
      /<p>(\d+)</.exec(await (await app.fetch(new Request(`https://example.com${path}`))).text())?.[1];
    const addresses = ["/a/%C3%BC", "/a/a%2Fb"];
    assert.deepEqual(await Promise.all(addresses.map(shown)), ["1", "2"]);
    assert.equal(made, 2, "all were rendered at build");
    invalidate("/a/ü");
    assert.deepEqual(await Promise.all(addresses.map(shown)), ["3", "2"]);
  });
});
