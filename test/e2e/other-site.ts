/** Another site: it serves lures and records requests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Hit {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage["headers"];
}

export interface OtherSite {
  /** `http://localhost:1234`: for a browser another site than 127.0.0.1. */
  readonly origin: string;
  readonly port: number;
  readonly hits: readonly Hit[];
  /** Resolves with the next request whose URL has this prefix, including one that has already arrived. */
  hit(prefix: string): Promise<Hit>;
  /** Sets the HTML of a path. */
  serve(path: string, html: string): void;
  close(): Promise<void>;
}

/** Reports that it ran. */
const SCRIPT = "(globalThis.fired ??= []).push('foreign')";

/** @param host to listen on and to be addressed by */
export async function otherSite(host = "localhost"): Promise<OtherSite> {
  const hits: Hit[] = [];
  const pages = new Map<string, string>();
  const waiting = new Set<() => void>();
  const answer = (message: IncomingMessage, reply: ServerResponse): void => {
    const url = message.url ?? "/";
    const [path = ""] = url.split("?");
    message.resume();
    // Requests that browsers make on their own.
    if (path !== "/favicon.ico") hits.push({ method: message.method ?? "", url, headers: message.headers });
    const isScript = path.endsWith(".js");
    reply.writeHead(200, {
      "content-type": isScript ? "text/javascript" : path.endsWith(".css") ? "text/css" : "text/html",
      "access-control-allow-origin": "*",
    });
    reply.end(isScript ? SCRIPT : (pages.get(path) ?? "<p>the other site"));
    for (const look of waiting) look();
  };
  // Listens on IPv4 and IPv6, because browsers try either for "localhost".
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    port,
    hits,
    hit: (prefix) =>
      new Promise((done) => {
        const look = (): void => {
          const found = hits.find(({ url }) => url.startsWith(prefix));
          if (!found) return;
          waiting.delete(look);
          done(found);
        };
        waiting.add(look);
        look();
      }),
    serve: (path, html) => void pages.set(path, html),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
