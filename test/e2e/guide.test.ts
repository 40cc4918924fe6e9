/**
 * docs/guide is correct: every code block is type-checked and built, or refused as the page says; every app gets requests, and is
 * used in a browser. A wrong claim fails here.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { SvcError, type App } from "svckit";
import { buildApp, compile } from "svckit/compiler";
import { createTestClient } from "svckit/testing";
import { launchBrowser, openTab, type Tab } from "./browser.ts";
import { root } from "./demo-server.ts";
import { checkClaim } from "./guide-claims.ts";
import { readGuidePage, type GuidePage } from "./guide-page.ts";

const guide = join(root, "docs/guide");
/** Inside the repository, so that "svckit" resolves to this package. */
const folder = join(root, "out", `guide-${process.pid}`);

const pages = readdirSync(guide).map((name) => readGuidePage(join(guide, name)));
const apps = pages.filter(({ files }) => files.has("app.tsx"));
let browser: Browser;

before(async () => {
  // Apps read the process's variables at boot. None of these store anything on disk.
  Object.assign(process.env, {
    NODE_ENV: "production",
    SVC_DATABASE_URL: "memory:",
    SVC_DATA_DIR: join(folder, "data"),
    SVC_SECRET: "s".repeat(32),
    SVC_SITE_URL: "https://example.com",
  });
  // TypeScript looks for `/// <reference types="svckit/client" />` in node_modules only.
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/svckit"), "dir");
  for (const { name, files } of apps) {
    for (const [file, text] of files) {
      mkdirSync(dirname(join(folder, name, file)), { recursive: true });
      writeFileSync(join(folder, name, file), text);
    }
  }
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Builds the app of a page and checks its claims. */
async function checkPage(page: GuidePage): Promise<void> {
  const { outDir, chunks } = await buildApp({ root: join(folder, page.name) });
  const isUsed = page.claims.some((claim) => claim.startsWith("OPEN "));
  assert.ok(isUsed || chunks.length === 0, "a page whose app has code for the browser uses it in one");
  const { default: app } = (await import(pathToFileURL(join(outDir, "server/app.js")).href)) as { default: App };
  const started = await app.start({ dist: outDir, host: "127.0.0.1", port: 0 });
  let opened: Promise<Tab> | undefined;
  try {
    const client = createTestClient(app);
    const tab = (): Promise<Tab> => (opened ??= openTab(browser));
    const { claims, printed } = page;
    const witness = { app, client, folder: join(folder, page.name), printed, url: started.url, held: [], tab };
    for (const claim of claims) await checkClaim(claim, witness);
    await (await opened)?.close();
  } finally {
    await (await opened)?.page.context().close();
    await started.close();
  }
}

describe("the guide", () => {
  it("lists all of its pages", () => {
    const index = readFileSync(join(guide, "README.md"), "utf8");
    const missing = pages.filter(({ name }) => name !== "README" && !index.includes(`](${name}.md)`));
    assert.deepEqual(missing, []);
  });

  it("has no unchecked code", () => {
    assert.deepEqual(
      pages.flatMap(({ name, files, unchecked }) =>
        // vite-projects.test.ts follows the page with an app in a folder of its own.
        files.size > 0 && !files.has("app.tsx") && !files.has("server/app.tsx")
          ? [`${name}: files without an app.tsx`]
          : unchecked,
      ),
      [],
    );
  });

  it("has code without type errors", () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "ES2023",
      module: "NodeNext",
      allowImportingTsExtensions: true,
      jsx: "preserve",
      jsxImportSource: "svckit",
      types: ["node"],
      lib: ["ES2023", "DOM", "DOM.Iterable"],
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["*/**/*.ts", "*/**/*.tsx"] }),
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    try {
      execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", stdio: "pipe" });
    } catch (error) {
      assert.fail((error as { stdout: string }).stdout);
    }
  });

  for (const { name, refused } of pages) {
    for (const [at, { code, text }] of refused.entries()) {
      it(`is right in ${name}.md that the compiler refuses code with ${code} (${at + 1})`, () => {
        assert.throws(
          () => compile(text, `${name}.tsx`),
          (error) => error instanceof SvcError && error.code === code,
        );
      });
    }
  }

  for (const page of apps) {
    it(`makes only true claims in ${page.name}.md`, async () => {
      assert.ok(page.claims.length > 0, "a page with an app makes claims about it");
      await checkPage(page);
    });
  }
});
