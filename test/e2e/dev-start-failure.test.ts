/** `svc dev` exits with an error if it can't start, and releases its port. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { it } from "node:test";
import { root } from "./demo-server.ts";

it("svc dev exits with 1 if its database can't be opened", async () => {
  const folder = join(root, "out", `dev-start-failure-${process.pid}`);
  cpSync(join(root, "test/fixtures/dev"), folder, {
    recursive: true,
    filter: (path) => !/tsconfig\.json$|dist$|\.svc$/.test(path),
  });
  try {
    writeFileSync(join(folder, "text.db"), "no database, whatever its name says. ".repeat(100));
    const child = spawn(process.execPath, [join(root, "bin/svc.js"), "dev", "--port", "0"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env["PATH"], NODE_ENV: "development", SVC_DATABASE_URL: "sqlite:text.db" },
      timeout: 60_000,
    });
    const [reported, [code]] = await Promise.all([text(child.stderr), once(child, "exit") as Promise<[number | null]>]);
    assert.match(reported, /SVC_STORE: The database text\.db is not an SQLite database/);
    assert.equal(code, 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
