/** A deploy while a page is open: its chunks are still served, and the page keeps working (contract section 6). */
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

/** Inside the repository, so that "svckit" resolves to this package. */
const folder = join(root, "out", `deploys-${process.pid}`);
Object.assign(process.env, { NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) });

/** @param step the increment of a click. It is in the chunk, so that two builds have different chunks. */
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
    "keeps serving the code of a page that was open, and gives a page opened later the new code",
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
