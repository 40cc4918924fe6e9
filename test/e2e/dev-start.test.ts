/** The server of `svc dev`: started with a source that does not compile, then given foreign and malformed requests. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { root } from "./demo-server.ts";

const folder = join(root, "out", `dev-start-${process.pid}`);
const page = join(folder, "pages/plain.tsx");
const lines: string[] = [];
let output: Interface;
let server: ReturnType<typeof spawn>;
let url: string;

/** The next line that matches. */
async function line(pattern: RegExp): Promise<string> {
  for (;;) {
    const found = lines.find((text) => pattern.test(text));
    if (found !== undefined) return found;
    await once(output, "line");
  }
}

before(async () => {
  cpSync(join(root, "test/fixtures/dev"), folder, {
    recursive: true,
    filter: (path) => !/tsconfig\.json$|dist$|\.svc$/.test(path),
  });
  writeFileSync(page, readFileSync(page, "utf8").replace("<h1>Plain</h1>", "<p><div>x</div></p>"));
  server = spawn(process.execPath, [join(root, "bin/svc.js"), "dev", "--port", "0"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"], NODE_ENV: "development", SVC_DATA_DIR: join(folder, ".svc") },
  });
  assert.ok(server.stdout);
  output = createInterface(server.stdout);
  output.on("line", (text: string) => lines.push(text));
  url = /http:\S+/.exec(await line(/Waiting for an edit/))?.[0] ?? "";
});

after(async () => {
  server.kill();
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
});

function ask(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url + path, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

describe("svc dev", () => {
  it("starts with a source that does not compile, reports the error, and continues once it is fixed", async () => {
    const broken = await fetch(`${url}/plain`, { headers: { accept: "text/html" } });
    assert.equal(broken.status, 500);
    assert.match(await broken.text(), /SVC108/);
    assert.equal(broken.headers.get("x-content-type-options"), "nosniff");
    assert.match(broken.headers.get("content-security-policy") ?? "", /'nonce-/);
    writeFileSync(page, readFileSync(page, "utf8").replace("<p><div>x</div></p>", "<h1>Fixed</h1>"));
    await line(/Reloaded in \d+ ms/);
    assert.match(await (await fetch(`${url}/plain`)).text(), /Fixed/);
  });

  it("sends the duration of the parts of a response", async () => {
    const answer = await fetch(`${url}/plain`);
    assert.match(answer.headers.get("server-timing") ?? "", /^load;dur=[\d.]+, render;dur=[\d.]+, total;dur=[\d.]+$/);
  });

  it("reveals nothing about the source to other sites, or under a host name that is not local", async () => {
    assert.equal(await ask("/_svc/dev/fault", { "sec-fetch-site": "cross-site" }), 405);
    assert.equal(await ask("/_svc/dev/events", { "sec-fetch-site": "cross-site" }), 403);
    assert.equal(await ask("/_svc/dev/events", { host: "rebound.example" }), 421);
    assert.notEqual(await ask("/_svc/dev/open?file=app.tsx", { "sec-fetch-site": "cross-site" }), 204);
  });

  it("refuses a malformed request with the security headers of every response", async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.end("NONSENSE\r\n\r\n");
    let answer = "";
    for await (const bytes of socket) answer += String(bytes);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/);
    assert.match(answer, /\r\nx-request-id: [0-9a-f]{32}\r\n/);
  });
});
