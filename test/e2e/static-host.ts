/** A host for an exported site that knows nothing of svc: it serves the files of a folder. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

export interface StaticHost {
  readonly url: string;
  close(): void;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".avif": "image/avif",
  ".webp": "image/webp",
  ".ttf": "font/ttf",
};

export async function startStaticHost(folder: string): Promise<StaticHost> {
  const host = createServer((request, response) => {
    const path = join(folder, new URL(request.url ?? "/", "http://host").pathname);
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
    if (!existsSync(file)) return void response.writeHead(request.url === "/favicon.ico" ? 204 : 404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
    close: () => {
      host.close();
      host.closeAllConnections();
    },
  };
}
