/** Over real local sockets. A second server, which must not be reached, counts its clients. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { after, before, describe, it } from "node:test";
import { SimulatedClock } from "../platform/shared/clock.ts";
import { requireConnector } from "../platform/security/ssrf/connector-probe.ts";
import { SvcError } from "../platform/shared/errors.ts";
import { createGuardedFetch, fetchUntil, type GuardedFetch } from "./guarded-fetch.ts";

const CALLED = { allowCidrs: ["127.0.0.1/32"] };

const servers: Server[] = [];
const inside: string[] = [];
const arrivals = new Map<string, () => void>();
let open = "";
let closed = "";

async function serve(host: string, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, host);
  servers.push(server);
  await once(server, "listening");
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

const answers: Record<string, RequestListener> = {
  "/echo": async (message, reply) => {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    const { method, headers } = message;
    reply.setHeader("content-type", "application/json");
    reply.end(JSON.stringify({ method, headers, body: Buffer.concat(parts).toString("latin1") }));
  },
  "/away": (_message, reply) => reply.writeHead(307, { location: `${closed}/secret` }).end(),
  "/here": (_message, reply) => reply.writeHead(302, { location: "/echo" }).end(),
  "/empty": (_message, reply) => reply.writeHead(204).end(),
  "/bomb": (_message, reply) => {
    reply.writeHead(200, { "content-encoding": "gzip" });
    reply.end(gzipSync(Buffer.alloc(1_000_000)));
  },
  "/silent": () => arrivals.get("/silent")?.(),
  "/half": (_message, reply) => void reply.write("half"),
  "/broken": (message) => message.socket.destroy(),
};

/** Resolves when the path was requested. */
function asked(path: string): Promise<void> {
  return new Promise((resolve) => arrivals.set(path, resolve));
}

function fails(code: string, part: string): (error: unknown) => boolean {
  return (error) => error instanceof SvcError && error.code === code && error.message.includes(part);
}

async function withFetch(
  run: (fetch: GuardedFetch, clock: SimulatedClock) => Promise<void>,
  maxBytes = 100_000,
): Promise<void> {
  const clock = new SimulatedClock();
  const fetch = createGuardedFetch({ ...CALLED, clock, maxBytes, timeout: "30s" });
  try {
    await run(fetch, clock);
  } finally {
    await fetch.close();
  }
}

describe("a guarded fetch", () => {
  before(async () => {
    open = await serve("127.0.0.1", (message, reply) => answers[message.url ?? ""]?.(message, reply));
    closed = await serve("127.0.0.2", (message, reply) => {
      inside.push(message.url ?? "");
      reply.end("secret");
    });
  });
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  it("returns a Response of the global class, with its URL", () =>
    withFetch(async (fetch) => {
      const response = await fetch(`${open}/here`);
      assert.ok(response instanceof Response);
      assert.equal(response.url, `${open}/echo`);
      assert.equal(response.redirected, true);
      assert.equal(response.headers.get("content-type"), "application/json");
    }));

  it("rejects private addresses, local names and invalid URLs without connecting", async () => {
    const fetch = createGuardedFetch();
    await assert.rejects(fetch(`${closed}/secret`), fails("SVC_SSRF", "loopback"));
    await assert.rejects(fetch(closed.replace("127.0.0.2", "localhost")), fails("SVC_SSRF", "local-name"));
    await assert.rejects(fetch("http://169.254.169.254/latest/meta-data"), fails("SVC_SSRF", "refused"));
    await assert.rejects(fetch("file:///etc/passwd"), fails("SVC_WEBHOOK_URL", "http"));
    await fetch.close();
    assert.deepEqual(inside, []);
  });

  it("refuses an undici that ignores the connector of its agent", async () => {
    const undici = await import("undici");
    await requireConnector(undici);
    const ignores: typeof undici.fetch = () => Promise.reject(new TypeError("getaddrinfo ENOTFOUND"));
    await assert.rejects(
      requireConnector({ ...undici, fetch: ignores }),
      fails("SVC_RUNTIME", "ignores the connector"),
    );
  });

  it("rejects a name that resolves to a private address", async () => {
    const fetch = createGuardedFetch({ resolve: async () => ["127.0.0.2"] });
    await assert.rejects(fetch(`http://shop.example:${new URL(closed).port}/`), fails("SVC_SSRF", "loopback"));
    await fetch.close();
    assert.deepEqual(inside, []);
  });

  it("rejects a redirect to a private address before sending anything there", () =>
    withFetch(async (fetch) => {
      await assert.rejects(
        fetch(`${open}/away`, { headers: { authorization: "Bearer k" } }),
        fails("SVC_SSRF", "loopback"),
      );
      assert.deepEqual(inside, []);
    }));

  it("sends texts, forms and streams", () =>
    withFetch(async (fetch) => {
      const send = async (body: BodyInit): Promise<{ type: string; body: string }> => {
        const response = await fetch(`${open}/echo`, { method: "POST", body });
        const reported = (await response.json()) as { headers: Record<string, string>; body: string };
        return { type: reported.headers["content-type"] ?? "", body: reported.body };
      };
      assert.deepEqual(await send("hello"), { type: "text/plain;charset=UTF-8", body: "hello" });
      assert.equal((await send(new URLSearchParams({ a: "1" }))).body, "a=1");
      assert.equal((await send(new Response("streamed").body ?? "")).body, "streamed");
      const form = new FormData();
      form.set("name", "Ann");
      form.set("file", new Blob(["bytes"]), "a.txt");
      const sent = await send(form);
      assert.match(sent.type, /^multipart\/form-data; boundary=/);
      assert.match(sent.body, /name="name"\r\n\r\nAnn/);
      assert.match(sent.body, /filename="a.txt"[^]*bytes/);
    }));

  it("accepts responses without a body", () =>
    withFetch(async (fetch) => {
      assert.equal((await fetch(`${open}/empty`)).status, 204);
      assert.equal(await (await fetch(`${open}/echo`, { method: "HEAD" })).text(), "");
    }));

  it("counts the decompressed size of a response", () =>
    withFetch(async (fetch) => {
      const response = await fetch(`${open}/bomb`);
      await assert.rejects(response.text(), fails("SVC_UPSTREAM", "more than 100000 bytes"));
    }));

  it("times out if a response does not arrive or end in time", () =>
    withFetch(async (fetch, clock) => {
      const arrived = asked("/silent");
      const never = assert.rejects(fetch(`${open}/silent`), fails("SVC_UPSTREAM", "within 30 s"));
      await arrived;
      await clock.advance(30_000);
      await never;
      const response = await fetch(`${open}/half`);
      const half = assert.rejects(response.text(), fails("SVC_UPSTREAM", "within 30 s"));
      await clock.advance(30_000);
      await half;
    }));

  it("accepts a Request with options that override it, so that other clients can use it as their fetch", () =>
    withFetch(async (fetch) => {
      const request = new Request(`${open}/echo`, { method: "PUT", headers: { "x-a": "1" }, body: "hello" });
      const sent = (await (await fetch(request)).json()) as { method: string; headers: object; body: string };
      assert.deepEqual([sent.method, sent.body, new Headers({ ...sent.headers }).get("x-a")], ["PUT", "hello", "1"]);
      const other = (await (await fetch(new Request(`${open}/echo`), { method: "DELETE" })).json()) as typeof sent;
      assert.equal(other.method, "DELETE");
      await assert.rejects(fetch(new Request(`${closed}/secret`)), fails("SVC_SSRF", "loopback"));
      const aborted = new Request(`${open}/echo`, { signal: AbortSignal.abort(new Error("left")) });
      await assert.rejects(fetch(aborted), { message: "left" });
      await assert.rejects(fetchUntil(fetch, new AbortController().signal)(aborted), { message: "left" });
    }));

  it("leaves nothing behind after a response was read or abandoned", () =>
    withFetch(async (fetch, clock) => {
      await (await fetch(`${open}/echo`)).text();
      await (await fetch(`${open}/half`)).body?.cancel();
      assert.equal(clock.pending, 0);
    }));

  it("aborts with its caller, with the caller's reason", () =>
    withFetch(async (fetch) => {
      const caller = new AbortController();
      const reason = new Error("cancelled");
      const arrived = asked("/silent");
      const under = assert.rejects(fetchUntil(fetch, caller.signal)(`${open}/silent`), reason);
      await arrived;
      caller.abort(reason);
      await under;
      await assert.rejects(fetchUntil(fetch, caller.signal)(`${open}/echo`), reason);
    }));

  it("reports the code of a connection error, but no address", () =>
    withFetch(async (fetch) => {
      await assert.rejects(fetch(`${open}/broken`), fails("SVC_UPSTREAM", "UND_ERR_SOCKET"));
    }));
});
