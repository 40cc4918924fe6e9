/** Every adapter of an app, its own three and those of other frameworks, behind one `ask`. Contains no tests. */
import { once } from "node:events";
import { createServer, get, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import type { App } from "svckit";

export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

export interface Reply {
  status: number;
  /** By lower-case name. Repeated headers have several values. */
  headers: Record<string, string[]>;
  bytes: Buffer;
}

export interface Adapter {
  ask(target: string, asked?: Asked): Promise<Reply>;
  /** Reads only the first chunk of a response. @returns a function that disconnects the reader */
  readBeginning(target: string): Promise<() => Promise<void>>;
  close(): Promise<unknown>;
}

/** The app's own adapters. */
export const OWN_ADAPTERS: Record<string, (app: App, dist: string) => Promise<Adapter>> = {
  async listen(app, dist) {
    const started = await app.start({ host: "127.0.0.1", port: 0, dist });
    const port = Number(new URL(started.url).port);
    return overSocket(port, () => started.close());
  },
  async handler(app, dist) {
    await app.boot({ dist });
    return serve(createServer(app.handler));
  },
  async fetch(app, dist) {
    await app.boot({ dist });
    return inMemory((asked) => app.fetch(asked));
  },
};

/** Other frameworks that mount the app and have a route of their own at `/theirs`, as in docs/guide/mounting.md. */
export const FRAMEWORK_ADAPTERS: Record<string, (app: App, dist: string) => Promise<Adapter>> = {
  async "Express 5"(app, dist) {
    await app.boot({ dist });
    const site = express().disable("x-powered-by");
    site.get("/theirs", (_message, reply) => void reply.send("theirs"));
    site.use(app.handler);
    return serve(createServer(site));
  },
  async "Fastify 5"(app, dist) {
    await app.boot({ dist });
    const site = fastify({
      serverFactory: (theirs) =>
        createServer((message, reply) => app.handler(message, reply, () => theirs(message, reply))),
    });
    site.get("/theirs", () => "theirs");
    await site.listen({ host: "127.0.0.1", port: 0 });
    const { port } = site.server.address() as AddressInfo;
    return overSocket(port, () => site.close());
  },
  async "Hono 4"(app, dist) {
    await app.boot({ dist });
    const site = new Hono();
    site.get("/theirs", (ctx) => ctx.text("theirs"));
    site.all("*", (ctx) => app.fetch(ctx.req.raw));
    return inMemory(async (asked) => site.fetch(asked));
  },
};

/** A node server for one test. */
export async function serve(server: Server<typeof IncomingMessage, typeof ServerResponse>): Promise<Adapter> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return overSocket(port, () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()));
}

function overSocket(port: number, close: () => Promise<unknown>): Adapter {
  return {
    close,
    ask: (target, asked) => askSocket(port, target, asked),
    async readBeginning(target) {
      const asking = get({ host: "127.0.0.1", port, path: target, agent: false });
      const [reply] = (await once(asking, "response")) as [IncomingMessage];
      await once(reply, "readable");
      return async () => void reply.destroy();
    },
  };
}

function inMemory(fetch: (asked: Request) => Promise<Response>): Adapter {
  return {
    async ask(target, asked) {
      const response = await fetch(new Request(`http://127.0.0.1${target}`, asked));
      const headers: Record<string, string[]> = {};
      response.headers.forEach((value, name) => void (headers[name] = [value]));
      if (headers["set-cookie"]) headers["set-cookie"] = response.headers.getSetCookie();
      return { status: response.status, headers, bytes: Buffer.from(await response.arrayBuffer()) };
    },
    async readBeginning(target) {
      const reader = (await fetch(new Request(`http://127.0.0.1${target}`))).body?.getReader();
      await reader?.read();
      return async () => reader?.cancel();
    },
    close: async () => undefined,
  };
}

function askSocket(port: number, target: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const options = { host: "127.0.0.1", port, path: target, method, agent: false, headers: { ...length, ...headers } };
    const asking = request(options, (message) => {
      const chunks: Buffer[] = [];
      message.on("data", (chunk: Buffer) => chunks.push(chunk));
      message.on("error", reject);
      message.on("end", () =>
        resolve({
          status: message.statusCode ?? 0,
          headers: message.headersDistinct as Record<string, string[]>,
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    asking.on("error", reject);
    asking.end(body);
  });
}
