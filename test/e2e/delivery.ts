/** A network that tests decide about: passes requests on to a server, and holds, reorders or fails the answers with code. */
import { createServer, request, Agent, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * How code arrives. `cold`: at once, nothing of it cached. `delayed`: when `release` is called. `reversed`: then, too, and
 * what was asked for last comes first. `failing`: every chunk fails at its first request.
 */
export type DeliveryKind = "cold" | "delayed" | "reversed" | "failing";

export interface Delivery {
  readonly url: string;
  /** Begins a new page: what had failed or was held is forgotten. */
  begin(): void;
  /** Lets code that was held, and all that follows, arrive. */
  release(): void;
  close(): Promise<void>;
}

/** Code that is fetched for an event; what the page itself begins with is never held. */
const CODE = /^\/_svc\/(?!loader|moments|dev).*\.js$/;
const CHUNK = /^\/_svc\/handler\//;

/** @param target URL of the server behind it. */
export async function deliver(target: string, kind: DeliveryKind): Promise<Delivery> {
  // A server that closes an idle connection may meet a request that is already on its way, which then fails. So none is kept open to the server
  // behind it, and this one closes none by itself.
  const agent = new Agent();
  let held: (() => Promise<void>)[] = [];
  let isOpen = false;
  let failed = new Set<string>();

  /** One after the other, the last first; what is asked for meanwhile goes before those that still wait. */
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

/** Resolves when the answer has gone out, or whoever asked has gone. */
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
