/**
 * A page that resumes and an action, written by hand on node:http: the same checks, the same headers and HTML
 * from data, but no support for any other page or action. It shows the cost of the checks and the overhead of svc.
 * Argument: file of captured responses. Environment: SVC_SECRET, with which svc signed the visitors' cookies and tokens.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { number, object, safeParse, string } from "valibot";
import type { Captured, Captures } from "./http-workloads.ts";

const captures = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Captures;
const secret = process.env["SVC_SECRET"] ?? "";

const SIGNATURE_LENGTH = 43;
const ID_LENGTH = 32;

const sign = (text: string): string => createHmac("sha256", secret).update(text).digest("base64url");

function isSigned(text: string, signature: string): boolean {
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(text))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The id in a visitor's cookie, if its signature is valid. */
function idIn(cookies = ""): string | undefined {
  const value = /(?:^|;\s*)__svc-csrf=([^;]+)/.exec(cookies)?.[1] ?? "";
  const id = value.slice(0, ID_LENGTH);
  return isSigned(`csrf-cookie\0${id}`, value.slice(ID_LENGTH + 1)) ? id : undefined;
}

function isToken(token: string, id: string): boolean {
  const salt = token.slice(0, -SIGNATURE_LENGTH);
  return isSigned(`csrf-token\0${salt}${id}.`, token.slice(-SIGNATURE_LENGTH));
}

/** Headers of a response, except those that are new each time. */
function others({ headers }: Captured, ...made: readonly string[]): string[] {
  return headers.filter((_, at) => !made.includes(headers[at - (at % 2)] ?? ""));
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? "");

const items = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, label: `Item number ${at + 1}` }));

/** The constant pieces of the page, and the values between them that differ in each visit. */
function template({ body, headers }: Captured) {
  const nonce = /'nonce-([^']+)'/.exec(headers[headers.indexOf("content-security-policy") + 1] ?? "")?.[1] ?? "";
  const token = /"csrf_token":"([^"]+)"/.exec(body)?.[1] ?? "";
  const listAt = body.indexOf("<ul>") + "<ul>".length;
  const start = body.slice(0, listAt).replace("Hello, Ann", "Hello, {name}");
  const end = body.slice(body.indexOf("</ul>")).replace(token, "{token}");
  const parts = (text: string): string[] => text.replaceAll(nonce, "{nonce}").split(/\{(?:nonce|name|token)\}/);
  const policy = (headers[headers.indexOf("content-security-policy") + 1] ?? "").split(nonce);
  return { start: parts(start), end: parts(end), policy };
}

const { start, end, policy } = template(captures.counter);
const pageHeaders = others(captures.counter, "content-security-policy", "set-cookie", "x-request-id");
const counts = { pages: 0, actions: 0, refused: 0 };

function counter(message: IncomingMessage, reply: ServerResponse, query: string): void {
  const nonce = randomBytes(16).toString("base64");
  const known = idIn(message.headers.cookie);
  const id = known ?? randomBytes(ID_LENGTH / 2).toString("hex");
  const salt = randomBytes(6).toString("base64url");
  const token = salt + sign(`csrf-token\0${salt}${id}.`);
  const name = new URLSearchParams(query).get("name") ?? "nobody";
  const rows = items.map((item) => `<li data-id="${item.id}">${escape(item.label)}</li>`).join("");
  const body =
    `${start[0]}${nonce}${start[1]}${escape(name)}${start[2]}${rows}` +
    `${end[0]}${nonce}${end[1]}${token}${end[2]}${nonce}${end[3]}`;
  const headers = [
    ...pageHeaders,
    "content-security-policy",
    policy.join(nonce),
    "x-request-id",
    randomBytes(16).toString("hex"),
    "content-length",
    String(Buffer.byteLength(body)),
  ];
  if (known === undefined)
    headers.push("set-cookie", `__svc-csrf=${id}.${sign(`csrf-cookie\0${id}`)}; Path=/; HttpOnly; SameSite=Lax`);
  counts.pages++;
  reply.writeHead(200, headers);
  reply.end(body);
}

const argument = object({ a: number(), b: number(), name: string() });
const actionHeaders = others(captures.action, "x-request-id", "ratelimit", "ratelimit-policy");
const MAX_BYTES = 1024 * 1024;
const LIMIT = 1_000_000;
const WINDOW_MS = 60_000;
const calls = new Map<string, { count: number; endMs: number }>();

/** @returns headers of the limit; undefined for a client over the limit */
function take(address: string): string[] | undefined {
  const now = Date.now();
  let mine = calls.get(address);
  if (!mine || mine.endMs <= now) calls.set(address, (mine = { count: 0, endMs: now + WINDOW_MS }));
  if (++mine.count > LIMIT) return undefined;
  const left = `"actions";r=${LIMIT - mine.count};t=${Math.ceil((mine.endMs - now) / 1000)}`;
  return ["ratelimit-policy", `"actions";q=${LIMIT};w=60`, "ratelimit", left];
}

function refuse(reply: ServerResponse, status: number): void {
  counts.refused++;
  reply.writeHead(status).end();
}

function isOwn({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  return headers.origin === undefined || headers.origin === `http://${headers.host}`;
}

function action(message: IncomingMessage, reply: ServerResponse): void {
  const { headers, socket } = message;
  const limits = take(socket.remoteAddress ?? "");
  if (!limits) return refuse(reply, 429);
  if (headers["content-type"] !== "application/json") return refuse(reply, 415);
  const id = idIn(headers.cookie);
  if (!isOwn(message) || id === undefined || !isToken(String(headers["x-svc-csrf"]), id)) return refuse(reply, 403);
  if (Number(headers["content-length"] ?? 0) > MAX_BYTES) return refuse(reply, 413);
  const chunks: Buffer[] = [];
  let length = 0;
  message.on("data", (bytes: Buffer) => {
    length += bytes.length;
    if (length > MAX_BYTES) message.destroy();
    else chunks.push(bytes);
  });
  message.on("end", () => answerCall(reply, Buffer.concat(chunks).toString(), limits));
}

function answerCall(reply: ServerResponse, text: string, limits: readonly string[]): void {
  const { args } = JSON.parse(text) as { args: unknown[] };
  const { success, output } = safeParse(argument, args[0]);
  if (!success) return refuse(reply, 422);
  counts.actions++;
  const value = { sum: output.a + output.b, name: output.name };
  const body = JSON.stringify({ ok: true, value, error: null });
  const requestId = randomBytes(16).toString("hex");
  const length = String(Buffer.byteLength(body));
  reply.writeHead(200, [...actionHeaders, ...limits, "x-request-id", requestId, "content-length", length]);
  reply.end(body);
}

createServer((message, reply) => {
  const url = message.url ?? "";
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  if (message.method === "GET" && path === "/counter") return counter(message, reply, url.slice(mark + 1));
  if (message.method === "POST" && path === "/_svc/action/addUp") return action(message, reply);
  refuse(reply, 404);
}).listen(Number(process.env["PORT"]), "127.0.0.1");
