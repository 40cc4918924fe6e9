/** An app on a Unix socket, and on a socket that the process inherits, as systemd passes it on. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request, type RequestOptions } from "node:http";
import { createServer, type AddressInfo, type ListenOptions } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createApp } from "./app.ts";
import { json } from "../platform/http/response/response.ts";
import { route } from "./pages/route.ts";

function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-socket-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const appWith = (env: Record<string, string>) =>
  createApp({
    env: { SVC_SECRET: "s".repeat(32), SVC_LOG_LEVEL: "error", ...env },
    routes: [route("GET", "/ip", (ctx) => json(ctx.clientIp))],
  });

async function ask(options: RequestOptions): Promise<string> {
  const asked = request({
    agent: false,
    path: "/ip",
    headers: { host: "localhost", "x-forwarded-for": "203.0.113.7" },
    ...options,
  });
  const [answer] = (await once(asked.end(), "response")) as [NodeJS.ReadableStream];
  let text = "";
  for await (const piece of answer) text += String(piece);
  return text;
}

describe("an app on a Unix socket", () => {
  it("believes the headers of a proxy if SVC_TRUST_PROXY lists 127.0.0.1, and removes its file when it closes", async (test) => {
    const socketPath = join(temporaryFolder(test), "svc.sock");
    const strict = await appWith({ SVC_SOCKET: socketPath }).start();
    assert.equal(strict.url, "http://localhost");
    assert.equal(await ask({ socketPath }), '"127.0.0.1"');
    await strict.close();
    assert.equal(existsSync(socketPath), false);
    const trusting = await appWith({ SVC_SOCKET: socketPath, SVC_TRUST_PROXY: "127.0.0.1" }).start();
    assert.equal(await ask({ socketPath }), '"203.0.113.7"');
    await trusting.close();
  });

  it("replaces the file of a killed process, and refuses the socket of a running one", async (test) => {
    const socketPath = join(temporaryFolder(test), "svc.sock");
    const killed = spawn(
      process.execPath,
      ["--eval", `net.createServer().listen(${JSON.stringify(socketPath)},()=>console.log())`],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(killed.stdout, "data");
    await assert.rejects(appWith({ SVC_SOCKET: socketPath }).start(), {
      code: "SVC_CONFIG",
      message: /svc\.sock: another process listens on it/,
    });
    killed.kill("SIGKILL");
    await once(killed, "exit");
    assert.equal(existsSync(socketPath), true);
    const started = await appWith({ SVC_SOCKET: socketPath }).start();
    assert.equal(await ask({ socketPath }), '"127.0.0.1"');
    await started.close();
  });

  it("leaves a file at its path that is no socket", async (test) => {
    const path = join(temporaryFolder(test), "data.txt");
    writeFileSync(path, "data");
    await assert.rejects(appWith({ SVC_SOCKET: path }).start(), { code: "SVC_CONFIG", message: /data\.txt/ });
    assert.equal(existsSync(path), true);
  });

  it("refuses a path that no Unix socket can have", () => {
    assert.throws(() => appWith({ SVC_SOCKET: `/${"a".repeat(107)}` }).config, /SVC_SOCKET has 108 bytes/);
  });

  it("uses a port instead if the start names one", async (test) => {
    const socketPath = join(temporaryFolder(test), "svc.sock");
    const started = await appWith({ SVC_SOCKET: socketPath }).start({ port: 0 });
    test.after(() => started.close());
    assert.match(started.url, /:\d+$/);
    assert.equal(existsSync(socketPath), false);
  });
});

const renamed = (path: string): string => `${path}.open`;

/** Starts an app in a process that inherits a listening socket. @returns the address of a TCP socket */
async function activate(test: TestContext, options: ListenOptions): Promise<AddressInfo> {
  const server = createServer().listen(options);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  const { fd } = Reflect.get(server, "_handle") as { fd: number };
  const script = `import { createApp } from ${JSON.stringify(import.meta.resolve("./app.js"))};
import { json } from ${JSON.stringify(import.meta.resolve("../platform/http/response/response.js"))};
import { route } from ${JSON.stringify(import.meta.resolve("./pages/route.js"))};
const app = createApp({ routes: [route("GET", "/ip", (ctx) => json([ctx.clientIp, process.env.LISTEN_FDS ?? null]))] });
const { url } = await app.start();
console.log(url);`;
  // systemd, too, sets the number of the process after the fork.
  const child = spawn(
    "sh",
    ["-c", 'LISTEN_PID=$$ exec "$0" --input-type=module --eval "$1"', process.execPath, script],
    {
      env: {
        ...process.env,
        LISTEN_FDS: "1",
        SVC_SECRET: "s".repeat(32),
        SVC_LOG_LEVEL: "error",
        SVC_TRUST_PROXY: "127.0.0.1",
      },
      stdio: ["ignore", "pipe", "inherit", fd],
    },
  );
  // Node removes the file of a socket that it closes, by its name.
  if (options.path !== undefined) renameSync(options.path, renamed(options.path));
  // This process must accept no connection of the child.
  server.close();
  test.after(async () => {
    child.kill();
    await once(child, "exit");
  });
  await once(child.stdout!, "data");
  return address;
}

describe(
  "an app whose socket systemd has opened",
  { skip: process.platform === "win32" && "Windows has no inherited sockets" },
  () => {
    it("listens on a TCP socket", async (test) => {
      const address = await activate(test, { host: "127.0.0.1", port: 0 });
      assert.equal(await ask({ host: "127.0.0.1", port: address.port }), '["203.0.113.7",null]');
    });

    it("listens on a Unix socket", async (test) => {
      const socketPath = join(temporaryFolder(test), "svc.sock");
      await activate(test, { path: socketPath });
      assert.equal(await ask({ socketPath: renamed(socketPath) }), '["203.0.113.7",null]');
    });
  },
);
