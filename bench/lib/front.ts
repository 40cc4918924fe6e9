/** One HTTP server in front of every contender of bench:pages, so that all responses have gzip at level 9 and no cache. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Served } from "./svc-app.ts";

export interface Answer {
  type: string;
  body: string | Uint8Array;
  /** Additional headers, by lower-case name. */
  headers?: Readonly<Record<string, string>>;
}

/** @returns undefined for an unknown path */
export type Site = (path: string, origin: string) => Promise<Answer | undefined>;

export function gzipBytes(body: string | Uint8Array): number {
  return gzipSync(body, { level: 9 }).length;
}

export async function serveSite(site: Site): Promise<Served> {
  let origin = "";
  const server = createServer((request, reply) => {
    const { pathname } = new URL(request.url ?? "/", origin);
    site(pathname, origin).then(
      (answer) => {
        if (!answer) return reply.writeHead(404).end();
        const head = { ...answer.headers, "content-type": answer.type, "content-encoding": "gzip" };
        return reply.writeHead(200, head).end(gzipSync(answer.body, { level: 9 }));
      },
      (error: unknown) => reply.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
