/**
 * The reference of bench:http: node:http alone sends the captured responses of svc, header for header, and does nothing else. Only a
 * page's nonce is new each time, as in svc. Argument: file of captured responses.
 */
import { randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { NONCE, type Captured, type Captures } from "./http-workloads.ts";

type Respond = (message: IncomingMessage, reply: ServerResponse) => void;

const pool = Buffer.allocUnsafe(4096);
let used = pool.length;

function createNonce(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return pool.toString("base64", used - 16, used);
}

/** Inserts the nonce into a text. */
function withNonce(text: string): (nonce: string) => string {
  const [first = "", second = "", third = "", ...rest] = text.split(NONCE);
  if (rest.length > 0) throw new Error("more than two nonces");
  return text.split(NONCE).length === 3
    ? (nonce) => first + nonce + second + nonce + third
    : (nonce) => first + nonce + second;
}

function page({ headers, body }: Captured): Respond {
  const makeBody = withNonce(body);
  const at = headers.indexOf("content-security-policy") + 1;
  const makePolicy = withNonce(headers[at] ?? "");
  const length = String(Buffer.byteLength(makeBody("0".repeat(24))));
  return (_message, reply) => {
    const nonce = createNonce();
    const mine = headers.slice();
    mine[at] = makePolicy(nonce);
    mine.push("content-length", length);
    reply.writeHead(200, mine);
    reply.end(makeBody(nonce));
  };
}

function stream({ headers, body }: Captured): Respond {
  const parts = [body.slice(0, 3500), body.slice(3500, 7000), body.slice(7000)] as const;
  return (_message, reply) => {
    reply.writeHead(200, headers);
    for (const part of parts) reply.write(part);
    reply.end();
  };
}

function fixed({ status, headers, body }: Captured): Respond {
  const bytes = Buffer.from(body, "latin1");
  const all = status === 304 ? headers : [...headers, "content-length", String(bytes.length)];
  return (_message, reply) => {
    reply.writeHead(status, all);
    reply.end(status === 304 ? undefined : bytes);
  };
}

/** 304 or the file, depending on the request. */
function asset(whole: Captured, unchanged: Captured): Respond {
  const [etag, sendWhole, sendUnchanged] = [tagOf(unchanged), fixed(whole), fixed(unchanged)];
  return (message, reply) => (message.headers["if-none-match"] === etag ? sendUnchanged : sendWhole)(message, reply);
}

const tagOf = ({ headers }: Captured): string => headers[headers.indexOf("etag") + 1] ?? "";

interface ActionBody {
  args: [{ a: number; b: number; name: string }];
}

function action({ headers }: Captured): Respond {
  return (message, reply) => {
    let first: Buffer | undefined;
    message.on("data", (bytes: Buffer) => (first = first ? Buffer.concat([first, bytes]) : bytes));
    message.on("end", () => {
      const { args } = JSON.parse(first?.toString() ?? "") as ActionBody;
      const value = { sum: args[0].a + args[0].b, name: args[0].name };
      const body = JSON.stringify({ ok: true, value, error: null });
      reply.writeHead(200, [...headers, "content-length", String(Buffer.byteLength(body))]);
      reply.end(body);
    });
  };
}

const captures = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Captures;
const routes = new Map<string, Respond>([
  ["GET /page", page(captures.page)],
  ["GET /stream", stream(captures.stream)],
  ["GET /asset.js", asset(captures.asset, captures.unchanged)],
  ["POST /_svc/action/addUp", action(captures.action)],
  ["GET /counter", fixed(captures.counter)],
]);

createServer((message, reply) => {
  const url = message.url ?? "";
  const mark = url.indexOf("?");
  const respond = routes.get(`${message.method} ${mark < 0 ? url : url.slice(0, mark)}`);
  if (respond) respond(message, reply);
  else reply.writeHead(404).end();
}).listen(Number(process.env["PORT"]), "127.0.0.1");
