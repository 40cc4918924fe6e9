/** A copy of test/fixtures/dev under `svc dev`, whose files a test edits. */
import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root, startDemo, type DemoServer } from "./demo-server.ts";

export interface DevApp {
  readonly url: string;
  /** The folder of the copy. */
  readonly folder: string;
  /** Everything that `svc dev` has printed. */
  output(): string;
  /** Replaces texts that must exist, in one write, because the watcher ignores changes for a moment after each. */
  edit(file: string, from: string, to: string, ...more: [from: string, to: string][]): void;
  read(file: string): string;
  /** Writes a file; `undefined` deletes it. */
  write(file: string, text: string | undefined): void;
  stop(): Promise<void>;
}

/** @param env additional variables of the process */
export async function startDevApp(name: string, env: Record<string, string> = {}): Promise<DevApp> {
  // Inside the repository, so that "svckit" resolves to this package; not in test-results, which Vite does not watch.
  const folder = join(root, "out", `dev-${name}-${process.pid}`);
  cpSync(join(root, "test/fixtures/dev"), folder, {
    recursive: true,
    // Its tsconfig.json fits the original folder only, and its build output is not from this run.
    filter: (path) => !/tsconfig\.json$|dist$|\.svc$/.test(path),
  });
  const server: DemoServer = await startDemo({
    app: folder,
    command: "dev",
    dataDir: join(folder, ".svc"),
    env: { NODE_ENV: "development", ...env },
  });
  const path = (file: string): string => join(folder, file);
  const read = (file: string): string => readFileSync(path(file), "utf8");
  return {
    url: server.url,
    folder,
    output: () => server.output(),
    read,
    edit(file, from, to, ...more) {
      let text = read(file);
      for (const [before, after] of [[from, to], ...more] as [string, string][]) {
        assert.ok(text.includes(before), `${before} is in ${file}`);
        text = text.replace(before, () => after);
      }
      writeFileSync(path(file), text);
    },
    write(file, text) {
      if (text !== undefined) writeFileSync(path(file), text);
      else if (existsSync(path(file))) rmSync(path(file));
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Waits for edits that have no visible effect.
 * @returns a function that waits until a scope runs the code of a newer build
 */
export async function follower(page: Page, scope: string): Promise<() => Promise<unknown>> {
  const before = await page.locator(scope).getAttribute("s");
  return () =>
    page.waitForFunction(([at, old]) => document.querySelector(at ?? "")?.getAttribute("s") !== old, [scope, before]);
}
