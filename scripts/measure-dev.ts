/**
 * Waiting times of a developer: from the start of `svc dev` to the first page, and from saving a file to the updated page
 * in a real browser. Uses a copy of the demo; run "npm run build" first.
 *
 *   node out/scripts/measure-dev.js [edits of each kind]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { findChromium } from "svckit/testing";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const app = join(root, "out", `dev-measure-${process.pid}`);
const EDITS = Number(process.argv[2] ?? 10);

/** The address of the demo's dev server, and the time when it was printed. */
async function startServer(): Promise<{ url: string; end(): Promise<void> }> {
  const child = spawn(process.execPath, [join(root, "bin/svc.js"), "dev", "--port", "0"], {
    cwd: app,
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], NODE_ENV: "development", SVC_DATA_DIR: join(app, ".svc") },
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /^Ready in .*(http:\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url,
      async end() {
        child.kill();
        await once(child, "exit");
      },
    };
  }
  throw new Error("svc dev ended before it was ready");
}

interface Edit {
  file: string;
  change: (text: string, round: number) => string;
  /** An expression for the page. @param before chunk of its first scope before the edit */
  isThere: (round: number, before: string) => string;
}

const CHUNK = `document.querySelector("[s]").getAttribute("s")`;

const EDITS_OF: Record<string, Edit> = {
  "save to morphed page": {
    file: "pages/counter.tsx",
    change: (text, round) => text.replace(">Counter</h1>", `>Counter ${round}</h1>`),
    isThere: (round) => `document.querySelector("h1").textContent === "Counter ${round}"`,
  },
  "save to swapped handler": {
    file: "pages/counter.tsx",
    change: (text, round) => text.replace("count.value++", `(count.value += ${round})`),
    isThere: (_round, before) => `${CHUNK} !== ${JSON.stringify(before)}`,
  },
  "save to swapped stylesheet": {
    file: "public/app.css",
    change: (text, round) => `${text}\nh1 { letter-spacing: ${round}px }\n`,
    isThere: (round) => `getComputedStyle(document.querySelector("h1")).letterSpacing === "${round}px"`,
  },
};

/** Median time from saving to the updated page, checked at every frame. */
async function follow(page: Page, { file, change, isThere }: Edit): Promise<number> {
  const original = readFileSync(join(app, file), "utf8");
  const times: number[] = [];
  for (let round = 1; round <= EDITS; round++) {
    const before = await page.evaluate<string>(CHUNK);
    const startedMs = performance.now();
    writeFileSync(join(app, file), change(original, round));
    await page.waitForFunction(isThere(round, before), undefined, { polling: "raf" });
    times.push(performance.now() - startedMs);
  }
  writeFileSync(join(app, file), original);
  await page.waitForFunction(`document.querySelector("h1").textContent === "Counter"`);
  return times.sort((left, right) => left - right)[times.length >> 1] ?? Number.NaN;
}

cpSync(join(root, "demo"), app, {
  recursive: true,
  filter: (path) => !/tsconfig\.json$|dist$|\.svc$|\.test\.ts$/.test(path),
});
const startedMs = performance.now();
const server = await startServer();
const browser = await chromium.launch(await findChromium());
const rows: [string, number][] = [];
try {
  await (await fetch(`${server.url}/counter`)).text();
  rows.push(["start to first page", performance.now() - startedMs]);
  // The expressions are evaluated as text, which the page's policy would refuse.
  const page = await browser.newPage({ bypassCSP: true });
  await page.goto(`${server.url}/counter`);
  await page.getByRole("button", { name: "Add 1" }).click();
  for (const [what, edit] of Object.entries(EDITS_OF)) rows.push([what, await follow(page, edit)]);
} finally {
  await browser.close();
  await server.end();
  rmSync(app, { recursive: true, force: true });
}
for (const [name, took] of rows) console.log(`${name.padEnd(28)}${String(Math.round(took)).padStart(6)} ms`);
