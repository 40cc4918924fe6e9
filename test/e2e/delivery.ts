/** A proxy under the control of tests: it forwards requests to a server, and delays, reorders or fails the responses with code. */
import { createServer, request, Agent, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The delivery of code. `cold`: immediately and uncached. `delayed`: when `release` is called. `reversed`: then too, and the last
 * request is answered first. `failing`: every chunk fails at its first request.
 */
export type DeliveryKind = "cold" | "delayed" | "reversed" | "failing";

export interface Delivery {
  readonly url: string;
  /** Begins a new page: forgets failed and delayed requests. */
  begin(): void;
  /** Delivers the delayed code, and all code from now on immediately. */
  release(): void;
  close(): Promise<void>;
}

/** Code that is fetched for an event. The scripts that the page itself starts with are never delayed. */
const CODE = /^\/_svc\/(?!loader|moments|dev).*\.js$/;
const CHUNK = /^\/_svc\/handler\//;

/** @param target the URL of the server behind the proxy */
export async function deliver(target: string, kind: DeliveryKind): Promise<Delivery> {
  // A server that closes an idle connection may close it while a request is on its way, which then fails. So the agent keeps no
  // connection open to the server behind it, and this server closes none on its own.
  const agent = new Agent();
  let held: (() => Promise<void>)[] = [];
  let isOpen = false;
  let failed = new Set<string>();

  /** Answers one after the other, the last first. New requests precede the ones that still wait. */
  const reverse = async (): Promise<void> => {
    for (let next; (next = held.pop());) await next();
    isOpen = true;
  };
  const server: Server = createServer((message, reply) => {
    const path = (message.url ?? "/").replace(/\?.*/, "");
    const pass = (): Promise<void> => passOn(agent, target, message, reply);
    if (kind === "failing" && CHUNK.test(path) && !failed.has(path)) {
      failed.add(path);
      reply.writeHead(503).end();
    } else if (CODE.test(path) && !isOpen && kind !== "cold" && kind !== "failing") held.push(pass);
    else void pass();
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin() {
      isOpen = false;
      failed = new Set();
      held = [];
    },
    release() {
      if (kind === "reversed") return void reverse();
      isOpen = true;
      for (const pass of held.splice(0)) void pass();
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Resolves when the response has been sent, or the client has disconnected. */
function passOn(agent: Agent, target: string, message: IncomingMessage, reply: ServerResponse): Promise<void> {
  return new Promise((done) => {
    reply.on("close", done);
    const { host: _host, ...headers } = message.headers;
    const passed = request(target + (message.url ?? "/"), { method: message.method, headers, agent }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, { ...answer.headers, "cache-control": "no-store" });
      answer.pipe(reply);
    });
    passed.on("error", () => reply.destroy());
    reply.on("close", () => passed.destroy());
    message.pipe(passed);
  });
}
