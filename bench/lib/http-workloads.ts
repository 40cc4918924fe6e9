/** The requests of bench:http, and svc's captured responses, which the raw server and the other frameworks repeat. */
import { request } from "node:http";

export const WORKLOADS = ["page", "stream", "asset", "unchanged", "counter", "return", "action"] as const;
export type Workload = (typeof WORKLOADS)[number];

/** Replaces the nonce in captured responses. */
export const NONCE = "{nonce}";

/** Number of busy connections. */
const CONNECTIONS = 32;

/** Headers that every server writes itself. */
const OWN = new Set(["date", "connection", "keep-alive", "transfer-encoding", "content-length"]);

export interface Captured {
  status: number;
  /** Flat, without the headers that node:http adds. */
  headers: string[];
  /** As latin1: one character per byte. */
  body: string;
}

export type Captures = Record<Workload, Captured>;

/** Raw requests of a workload: one per connection, each from a different visitor if cookies matter. */
export type Requests = Record<Workload, readonly string[]>;

interface Visitor {
  cookie: string;
  token: string;
}

interface Asked {
  method?: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** Requests of the action. */
export const ARGUMENT = { a: 1, b: 2, name: "Ann" };
const JSON_BODY = JSON.stringify({ args: [ARGUMENT] });
/** For precompressed files only: with compressed pages the benchmark would mostly measure compression. */
const ENCODINGS = { "accept-encoding": "br, gzip" };

function askedFor(workload: Workload, { cookie, token }: Visitor, etag: string): Asked {
  switch (workload) {
    case "page":
      return { path: "/page" };
    case "stream":
      return { path: "/stream" };
    case "asset":
      return { path: "/asset.js", headers: ENCODINGS };
    case "unchanged":
      return { path: "/asset.js", headers: { ...ENCODINGS, "if-none-match": etag } };
    case "counter":
      return { path: "/counter?name=Ann" };
    case "return":
      return { path: "/counter?name=Ann", headers: { cookie } };
    case "action": {
      const headers = {
        "content-type": "application/json",
        "x-svc-csrf": token,
        "sec-fetch-site": "same-origin",
        cookie,
      };
      return { method: "POST", path: "/_svc/action/addUp", headers, body: JSON_BODY };
    }
  }
}

/** A request as raw bytes. */
export function textOf({ method = "GET", path, headers = {}, body }: Asked): string {
  const all: Record<string, string> = {
    host: "127.0.0.1",
    ...headers,
    ...(body === undefined ? {} : { "content-length": String(body.length) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`;
}

function ask(port: number, { method = "GET", path, headers, body }: Asked): Promise<Captured> {
  return new Promise((resolve, reject) => {
    const asked = request({
      port,
      host: "127.0.0.1",
      method,
      path,
      headers: { host: "127.0.0.1", ...headers },
      agent: false,
    });
    asked.on("error", reject);
    asked.on("response", (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const flat: string[] = [];
        for (let at = 0; at < answer.rawHeaders.length; at += 2) {
          const [name = "", value = ""] = answer.rawHeaders.slice(at, at + 2);
          if (!OWN.has(name.toLowerCase())) flat.push(name, value);
        }
        resolve({ status: answer.statusCode ?? 0, headers: flat, body: Buffer.concat(chunks).toString("latin1") });
      });
    });
    asked.end(body);
  });
}

async function visit(port: number): Promise<Visitor> {
  const { headers, body } = await ask(port, { path: "/counter?name=Ann" });
  const cookie = headers[headers.indexOf("set-cookie") + 1]?.split(";")[0] ?? "";
  return { cookie, token: /"csrf_token":"([^"]+)"/.exec(body)?.[1] ?? "" };
}

/** The nonce differs in each response; the raw server generates one too. */
function withoutNonce({ status, headers, body }: Captured): Captured {
  const nonce = /'nonce-([^']+)'/.exec(headers[headers.indexOf("content-security-policy") + 1] ?? "")?.[1];
  if (nonce === undefined) return { status, headers, body };
  const clean = (text: string): string => text.replaceAll(nonce, NONCE);
  return { status, headers: headers.map(clean), body: clean(body) };
}

/** Requests everything from svc once. @throws for an unexpected response */
export async function capture(port: number): Promise<{ captures: Captures; requests: Requests }> {
  const visitors = await Promise.all(Array.from({ length: CONNECTIONS }, () => visit(port)));
  const [first] = visitors as [Visitor];
  const { headers } = await ask(port, askedFor("asset", first, ""));
  const etag = headers[headers.indexOf("etag") + 1] ?? "";
  const captures: Partial<Captures> = {};
  const requests: Partial<Requests> = {};
  for (const workload of WORKLOADS) {
    const captured = await ask(port, askedFor(workload, first, etag));
    if (captured.status !== statusOf(workload))
      throw new Error(`svc answers ${workload} with ${JSON.stringify(captured)}`);
    captures[workload] = workload === "page" ? withoutNonce(captured) : captured;
    requests[workload] = visitors.map((visitor) => textOf(askedFor(workload, visitor, etag)));
  }
  return { captures: captures as Captures, requests: requests as Requests };
}

export function statusOf(workload: Workload): number {
  return workload === "unchanged" ? 304 : 200;
}
