/** The commands of the README work as described. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { API_KEY, buildDemo, root, startDemo, temporaryFolder, type DemoServer } from "./demo-server.ts";

const folder = temporaryFolder();
let server: DemoServer;

before(async () => {
  await buildDemo();
  server = await startDemo({ dataDir: join(folder.path, "data") });
});

after(async () => {
  await server?.stop();
  folder.remove();
});

/** The indented commands after "The demo prints", one string per comment. */
function readmeCommands(): string[] {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const block = /The demo prints `export SVC_EXEC_API_KEY=…`.*:\n\n((?: {4}.*\n|\n)+)/.exec(text)?.[1] ?? "";
  return block
    .split(/^ {4}# .*$/m)
    .map((command) => command.trim())
    .filter(Boolean);
}

async function run(command: string): Promise<Record<string, unknown>> {
  const here = command.replaceAll("http://127.0.0.1:3000", server.url);
  const { stdout } = await promisify(execFile)("bash", ["-e", "-o", "pipefail", "-c", here], {
    cwd: folder.path,
    env: { ...process.env, SVC_EXEC_API_KEY: API_KEY },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("the README's commands", () => {
  it("call an action, start a graph and register a webhook", async () => {
    await cp(join(root, "package-lock.json"), join(folder.path, "package-lock.json"));
    const replies = [];
    for (const command of readmeCommands()) replies.push(await run(command));
    assert.equal(replies.length, 3);
    assert.deepEqual(replies[0], { ok: true, value: [1, "two"], error: null });
    assert.equal(replies[1]?.["worker"], "audit");
    assert.equal(replies[2]?.["url"], "https://example.com/hook");
    assert.equal(replies[2]?.["secret_set"], true, "every webhook is signed");
  });
});
