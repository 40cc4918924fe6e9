import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { testDatabase, withoutPostgres } from "../../../testing/test-database.ts";
import { openStore } from "../../open-store.ts";
import type { Pool } from "./driver.ts";
import { requireSessions } from "./pooling.ts";

type Mode = "session" | "transaction" | "statement";

/** A fake pooler: assigns sessions to connections. @param spare sessions that others used recently, by turns. */
function pooler(mode: Mode, spare: number): Pick<Pool, "connect"> {
  const free = Array.from({ length: spare + 2 }, (_, pid) => pid);
  const connectOne = async () => {
    let own = mode === "session" ? free.pop() : undefined;
    const query = async (text: string) => {
      if (text === "BEGIN" && mode === "statement")
        throw new Error("transaction blocks not allowed in statement pooling mode");
      own ??= text === "BEGIN" ? free.pop() : undefined;
      const pid = own ?? free.pop();
      if (own === undefined) free.push(pid as number);
      if (text === "ROLLBACK" && mode !== "session") {
        free.push(own as number);
        own = undefined;
      }
      return { rows: [{ pid }] };
    };
    return { query, release: () => undefined };
  };
  return { connect: connectOne } as unknown as Pick<Pool, "connect">;
}

const bouncer = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]
  .map((folder) => join(folder, "pgbouncer"))
  .find((file) => existsSync(file));
const why =
  bouncer === undefined ? "no PgBouncer is installed; only the fake pooler is tested" : await withoutPostgres();

describe("connections to PostgreSQL", () => {
  const refusal = { code: "SVC_CONFIG", message: /pool_mode = session/ };

  it("are rejected behind a pooler that shares sessions between them, for any number of sessions", async () => {
    for (const spare of [0, 1, 20]) {
      await requireSessions(pooler("session", spare));
      await assert.rejects(requireSessions(pooler("transaction", spare)), refusal);
      await assert.rejects(requireSessions(pooler("statement", spare)), refusal);
    }
  });

  it("report their own error if they fail, not one about a pooler", async () => {
    const broken = {
      connect: async () => ({
        query: async (text: string) => {
          if (text !== "SELECT pg_backend_pid() AS pid") throw new Error("no");
          return { rows: [{ pid: 1 }] };
        },
        release: () => undefined,
      }),
    } as unknown as Pick<Pool, "connect">;
    await assert.rejects(requireSessions(broken), { message: "no" });
  });

  it(
    "through PgBouncer work in session mode without further settings, and are rejected in other modes",
    { skip: why },
    async () => {
      const database = await testDatabase();
      try {
        for (const mode of ["session", "transaction", "statement"] as const) {
          const pooled = await startBouncer(bouncer as string, database.url, mode);
          try {
            if (mode !== "session") await assert.rejects(openStore(pooled.url), refusal);
            else await (await openStore(pooled.url)).close();
          } finally {
            await pooled.end();
          }
        }
      } finally {
        await database.drop();
      }
    },
  );
});

async function startBouncer(program: string, databaseUrl: string, mode: Mode) {
  const folder = mkdtempSync(join(tmpdir(), "svc-bouncer-"));
  const url = new URL(databaseUrl);
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  const { hostname, username, password } = url;
  const target = `host=${hostname} port=${url.port || 5432} user=${username}${password && ` password=${password}`}`;
  const settings = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}\n`;
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, `[databases]\n* = ${target}\n[pgbouncer]\n${settings}`, { mode: 0o644 });
  // PgBouncer refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(program, ["-q", ...asNobody, file], { stdio: "ignore" });
  const ended = once(child, "exit");
  for (const endMs = Date.now() + 60_000; !(await answers(port));)
    assert.ok(Date.now() < endMs && child.exitCode === null, "PgBouncer does not listen");
  [url.hostname, url.port] = ["127.0.0.1", String(port)];
  return {
    url: url.href,
    end: async () => {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isThere = await new Promise<boolean>((settle) => {
    socket.once("connect", () => settle(true)).once("error", () => setTimeout(() => settle(false), 20));
  });
  socket.destroy();
  return isThere;
}
