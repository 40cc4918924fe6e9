/**
 * Runs the vectors at the socket: a hook under node:net records and refuses every dialled address. So the test counts
 * exactly the connects that would reach the kernel, and no packet leaves the machine.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, createServer as createTcpServer, type AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { Agent, request } from "undici";
import { checkHost } from "./check-host.ts";
import { exemptConnector, guardedAgent } from "./guarded-agent.ts";
import { refusalError, SsrfPolicy } from "./ssrf.ts";

interface Vector {
  name: string;
  url: string;
  expect: "allow" | "block";
  why: string;
  resolvesTo?: string[];
  thenResolvesTo?: string[];
  redirectTo?: string;
  redirectStatus?: number;
  redirectResolvesTo?: string[];
  mayConnect?: string[];
  env?: Record<string, string>;
}

const VECTORS = JSON.parse(
  readFileSync(new URL("../../../../test/fixtures/ssrf-vectors.json", import.meta.url), "utf8"),
) as Vector[];

type TcpConnect = (this: unknown, request: unknown, address: string, port: number) => number;
interface TcpPrototype {
  connect: TcpConnect;
  connect6: TcpConnect;
}

/** Records and refuses every TCP connect of this process; `rewire` redirects an address to a loopback port instead. */
class SocketHook {
  readonly dialled: string[] = [];
  rewire: { from: string; toPort: number } | undefined;
  readonly #prototype: TcpPrototype;
  readonly #original: TcpPrototype;

  constructor(prototype: TcpPrototype) {
    this.#prototype = prototype;
    this.#original = { connect: prototype.connect, connect6: prototype.connect6 };
  }

  install(): void {
    const { connect: original } = this.#original;
    const record = (address: string): number | undefined => {
      this.dialled.push(address);
      return address === this.rewire?.from ? this.rewire.toPort : undefined;
    };
    const replacement: TcpConnect = function (this: unknown, tcpRequest, address) {
      const port = record(address);
      return port === undefined ? ECONNREFUSED : original.call(this, tcpRequest, "127.0.0.1", port);
    };
    this.#prototype.connect = replacement;
    this.#prototype.connect6 = replacement;
  }

  remove(): void {
    Object.assign(this.#prototype, this.#original);
  }
}

/** libuv's number for a refused connection on Linux and on most other systems (`UV_ECONNREFUSED`). */
const ECONNREFUSED = -111;

/** The class of TCP handles, taken from an instance, because node:net does not export it. */
async function tcpPrototype(): Promise<TcpPrototype> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const handle = (server as unknown as { _handle: object })._handle;
  const prototype = Object.getPrototypeOf(handle) as TcpPrototype;
  await new Promise((resolve) => server.close(resolve));
  return prototype;
}

/** Resolves as the vector says: the first call at registration, later ones at the attempt. */
function resolverOf(vector: Vector): (hostname: string) => Promise<string[]> {
  let calls = 0;
  return async (hostname) => {
    calls++;
    const isRedirectTarget = vector.redirectTo !== undefined && new URL(vector.redirectTo).hostname === hostname;
    if (isRedirectTarget) return vector.redirectResolvesTo ?? [];
    const answer = calls > 1 ? (vector.thenResolvesTo ?? vector.resolvesTo) : vector.resolvesTo;
    if (!answer) throw new Error(`no such name: ${hostname}`);
    return answer;
  };
}

/** The path of a webhook: registration, then an attempt even if registration refused the resolved address. */
async function call(vector: Vector): Promise<string> {
  // The redirect's first hop is rewired to loopback and exempt, so that only the rule "redirects are not followed" can refuse it.
  const policy = new SsrfPolicy({ allowCidrs: vector.redirectTo ? ["127.0.0.1/32"] : [] });
  const resolve = resolverOf(vector);
  const agent = guardedAgent({ policy, resolve });
  try {
    const verdict = policy.checkUrl(vector.url);
    if (!verdict.ok) throw refusalError(verdict);
    await checkHost(policy, verdict.url.hostname, resolve);
    const answer = await request(verdict.url, { method: "POST", body: "{}", dispatcher: agent });
    await answer.body.dump();
    return String(answer.statusCode);
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  } finally {
    await agent.destroy();
  }
}

async function withEnvironment(env: Record<string, string>, run: () => Promise<string>): Promise<string> {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  try {
    return await run();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

describe("the guarded agent, measured at the socket", () => {
  let hook: SocketHook;
  let sink: Server;
  let sinkRequests = 0;
  let current: Vector | undefined;

  before(async () => {
    sink = createServer((incoming, response) => {
      sinkRequests++;
      incoming.resume();
      response.writeHead(current?.redirectStatus ?? 302, { location: current?.redirectTo ?? "/", connection: "close" });
      response.end();
    });
    await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
    hook = new SocketHook(await tcpPrototype());
    hook.install();
  });
  after(async () => {
    hook.remove();
    await new Promise((resolve) => sink.close(resolve));
  });

  it("is observed by a hook that sees and refuses connects", async () => {
    hook.dialled.length = 0;
    const error = await new Promise<NodeJS.ErrnoException>((resolve) =>
      connect(80, "192.0.2.55").once("error", resolve),
    );
    assert.equal(error.code, "ECONNREFUSED");
    assert.deepEqual(hook.dialled, ["192.0.2.55"]);
  });

  it("makes no forbidden connect and refuses no allowed one, for all vectors", async () => {
    assert.equal(VECTORS.length, 142);
    const wrong: string[] = [];
    for (const vector of VECTORS) {
      current = vector;
      hook.dialled.length = 0;
      hook.rewire = vector.redirectTo
        ? { from: vector.resolvesTo?.[0] ?? "", toPort: (sink.address() as AddressInfo).port }
        : undefined;
      const outcome = await withEnvironment(vector.env ?? {}, () => call(vector));
      const forbidden = hook.dialled.filter((address) => !vector.mayConnect?.includes(address));
      const isWrong = vector.expect === "block" ? forbidden.length > 0 : hook.dialled.length === 0;
      if (isWrong) wrong.push(`${vector.name}: dialled [${hook.dialled.join(", ")}], ${outcome} (${vector.why})`);
    }
    assert.deepEqual(wrong, []);
    assert.equal(sinkRequests, VECTORS.filter((vector) => vector.redirectTo).length, "each redirect answered once");
  });

  it("refuses a name if any of its addresses is refused, before connecting to an allowed one", async () => {
    hook.dialled.length = 0;
    const resolvesTo = ["93.184.216.34", "10.0.0.1"];
    const url = "http://mixed.example.com/";
    assert.equal(await call({ name: "", why: "", expect: "block", url, resolvesTo }), "SVC_SSRF");
    assert.deepEqual(hook.dialled, []);
  });

  it("refuses a peer whose address differs from the checked one", async () => {
    const url = "http://moved.example.com/";
    hook.rewire = { from: "93.184.216.34", toPort: (sink.address() as AddressInfo).port };
    const before = sinkRequests;
    assert.equal(await call({ name: "", why: "", expect: "block", url, resolvesTo: ["93.184.216.34"] }), "SVC_SSRF");
    assert.equal(sinkRequests, before);
  });

  it("reports a refused resolution at registration, and accepts a name that does not resolve", async () => {
    const policy = new SsrfPolicy();
    assert.equal((await checkHost(policy, "a.example.com", async () => ["8.8.8.8", "10.0.0.1"]))?.rule, "private");
    assert.equal(await checkHost(policy, "a.example.com", async () => ["8.8.8.8"]), undefined);
    assert.equal(await checkHost(policy, "a.example.com", () => Promise.reject(new Error("no such name"))), undefined);
  });
});

describe("the exempt connector", () => {
  it("reaches loopback, in contrast to the guarded one", async () => {
    const server = createServer((_, response) => void response.end("ok"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const policy = new SsrfPolicy();
    const [guarded, exempt] = [guardedAgent({ policy }), new Agent({ connect: exemptConnector({}) })];
    try {
      await assert.rejects(request(url, { dispatcher: guarded }), { code: "SVC_SSRF" });
      const answer = await request(url, { dispatcher: exempt });
      assert.equal(await answer.body.text(), "ok");
    } finally {
      await Promise.all([guarded.destroy(), exempt.destroy(), new Promise((resolve) => server.close(resolve))]);
    }
  });
});
