/** A deploy under an open page: its chunks are still there, and the page goes on working (contract section 6). */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import type { App, Started } from "svckit";
import { buildApp } from "svckit/compiler";
import { launchBrowser, openTab } from "./browser.ts";
import { root } from "./demo-server.ts";

/** Inside the repository, so that "svckit" is found as the package it is. */
const folder = join(root, "out", `deploys-${process.pid}`);
Object.assign(process.env, { NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) });

/** @param step what a click adds: in the chunk, so that two builds have two. */
const source = (step: number): string => `
import { createApp, page, signal } from "svckit";
function Counter() {
  const count = signal(0);
  return <button onClick={() => (count.value += ${step})}>{count.value}</button>;
}
export default createApp({ pages: [page("/", { title: "Steps of ${step}", view: () => <Counter /> })] });
`;

async function deploy(step: number, port: number): Promise<Started & { chunks: string[] }> {
  writeFileSync(join(folder, "app.tsx"), source(step));
  const { outDir, chunks } = await buildApp({ root: folder });
  const url = `${pathToFileURL(join(outDir, "server/app.js")).href}?step=${step}`;
  const { default: app } = (await import(url)) as { default: App };
  return { ...(await app.start({ dist: outDir, host: "127.0.0.1", port })), chunks: chunks.map(({ name }) => name) };
}

describe("a deploy", () => {
  let browser: Browser;
  before(async () => {
    mkdirSync(folder, { recursive: true });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    "leaves the page that was open its code, and a page opened after it has the new one",
    { timeout: 60_000 },
    async () => {
      const old = await deploy(1, 0);
      const tab = await openTab(browser);
      const { page } = tab;
      await page.goto(old.url);
      await old.close();
      const port = Number(new URL(old.url).port);
      const current = await deploy(10, port);
      try {
        assert.notDeepEqual(current.chunks, old.chunks);
        await page.click("button");
        await page.locator("button", { hasText: /^1$/ }).waitFor();
        assert.ok(tab.scripts.some((path) => path.endsWith(`${old.chunks[0]}.js`)));
        await page.reload();
        await page.click("button");
        await page.locator("button", { hasText: /^10$/ }).waitFor();
        await tab.close();
      } finally {
        await current.close();
      }
    },
  );
});
