/** Serves built files of the other frameworks: cross-origin isolated like svc's pages, so that all have the same timer resolution. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { Served } from "./svc-app.ts";

const TYPES: Record<string, string> = {
  ".js": "text/javascript",
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
};

/** @param pages HTML by path; everything else is a file of `folder`. */
export async function serveFiles(folder: string, pages: ReadonlyMap<string, string>): Promise<Served> {
  const server = createServer((request, reply) => {
    const path = normalize(new URL(request.url ?? "/", "http://x").pathname);
    const page = pages.get(path);
    const headers = {
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
      "content-type":
        page === undefined ? (TYPES[extname(path)] ?? "application/octet-stream") : "text/html; charset=utf-8",
    };
    const body = page === undefined ? readFile(join(folder, path)) : Promise.resolve(page);
    body.then(
      (bytes) => reply.writeHead(200, headers).end(bytes),
      () => reply.writeHead(404).end(),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
