/** Which pages an app can export, and why not: without a build, in memory. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createApp, page, type Context, type ExportStep, type PageDefinition } from "svc";
import { html, t } from "svc/jsx-runtime";
import { recordLog } from "svc/testing";
import { LOOKS } from "./cached-site.ts";

const dist = mkdtempSync(join(tmpdir(), "svc-export-"));
writeFileSync(join(dist, "manifest.json"), JSON.stringify({ build: "b1", chunks: {}, actions: [] }));
async function stepsOf(pages: readonly PageDefinition[]): Promise<ExportStep[]> {
  const env = {
    NODE_ENV: "production",
    SVC_DATABASE_URL: "memory:",
    SVC_SECRET: "s".repeat(32),
    SVC_SITE_URL: "https://example.com",
  };
  const app = createApp({ pages, env, log: recordLog() });
  const steps: ExportStep[] = [];
  try {
    for await (const step of app.exportPages(dist)) steps.push(step);
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
    it(`leaves out a page that looks at a visitor, by name: ${name}`, async () => {
      const load = (ctx: Context): unknown => look(ctx);
      const [step] = await stepsOf([page("/", { ...plain, load, view: (data) => html(() => t(String(data))) })]);
      assert.ok(step?.kind === "left-out" && /^looks at .+ of the request$/.test(step.why), JSON.stringify(step));
    });
  }

  it("says of a page that must be exported and can't that it must", async () => {
    const [step] = await stepsOf([page("/", { ...plain, static: true, load: ({ cookies }) => cookies["a"] })]);
    assert.deepEqual(step, { kind: "left-out", path: "/", why: "looks at cookies of the request", isRequired: true });
  });

  it("exports a page whose own rules say private where nothing of a visitor is in it", async () => {
    const [step] = await stepsOf([page("/", { ...plain, cache: { maxAge: "1m" } })]);
    assert.equal(step?.kind, "file");
  });

  it("refuses a page that is for all and for one", () => {
    assert.throws(() => page("/", { ...plain, static: true, cache: { public: false } }), {
      code: "SVC_DEFINITION",
      message: /is static, and its cache says public: false/,
    });
  });

  it("gives each of the entries a file, where its parameters are those of the path", async () => {
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
