/**
 * Measures what hostile forms cost a server: 200 forms at once, each as large as allowed and full of tiny fields, sent by a client that
 * has a valid CSRF cookie but no valid token. The rate limit is off, as if they came from 200 clients.
 *
 *   node out/scripts/measure-forms.js [--forms 200] [--large] [--json]
 *
 * With `--large` they have as few fields as allowed and are read as a whole.
 *
 * Goals: the event loop is blocked for at most 50 ms at a time, memory grows by at most 64 MiB, the p99 of other visitors at most doubles.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createApp, readForm, route } from "svckit";

/** Report of the server, since the last report. */
interface Report {
  blockedMs: number;
  rssMib: number;
}

const MIB = 1024 * 1024;
const VISITS = 2000;

if (process.send) await serve();
else await measure();

async function serve(): Promise<void> {
  const app = createApp({
    routes: [
      route("GET", "/plain", () => new Response("plain")),
      route("POST", "/save", async (ctx) => new Response(String(Object.keys((await readForm(ctx)).fields).length))),
    ],
    env: {
      NODE_ENV: "production",
      SVC_SITE_URL: "http://127.0.0.1",
      SVC_RATE_SUBMITS: "1000000",
      SVC_DATABASE_URL: "sqlite::memory:",
    },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const { url } = await app.start({ host: "127.0.0.1", port: 0 });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let peakBytes = 0;
  setInterval(() => (peakBytes = Math.max(peakBytes, process.memoryUsage.rss())), 5).unref();
  process.on("message", () => {
    const report: Report = { blockedMs: delay.max / 1e6, rssMib: Math.max(peakBytes, process.memoryUsage.rss()) / MIB };
    delay.reset();
    peakBytes = 0;
    process.send?.(report);
  });
  process.send?.(url);
}

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: {
      forms: { type: "string", default: "200" },
      json: { type: "boolean", default: false },
      large: { type: "boolean", default: false },
    },
  });
  const server = fork(fileURLToPath(import.meta.url), { execArgv: process.execArgv });
  try {
    const [url] = (await once(server, "message")) as [string];
    const report = async (): Promise<Report> => {
      server.send("report");
      return ((await once(server, "message")) as [Report])[0];
    };
    await visits(url, VISITS);
    await report();
    const quietMs = await visits(url, VISITS);
    const before = await report();
    const cookie = (await fetch(`${url}/_svc/token`)).headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const body = values.large ? `a=${"%41".repeat(340)}&`.repeat(999) : "a=&".repeat(Math.floor((MIB - 1) / 3));
    const attack = Promise.all(Array.from({ length: Number(values.forms) }, () => send(url, body, cookie)));
    const [statuses, attackedMs] = await Promise.all([attack, visits(url, VISITS)]);
    const during = await report();
    const result = {
      forms: statuses.length,
      statuses: Object.fromEntries(
        [...new Set(statuses)].map((status) => [status, statuses.filter((each) => each === status).length]),
      ),
      blockedMs: { quiet: round(before.blockedMs), attacked: round(during.blockedMs) },
      memoryGrowthMib: round(during.rssMib - before.rssMib),
      visitorP99Ms: { quiet: round(quietMs), attacked: round(attackedMs), ratio: round(attackedMs / quietMs) },
    };
    console.log(values.json ? JSON.stringify(result) : JSON.stringify(result, null, 2));
  } finally {
    server.kill();
  }
}

/** @returns the p99 of requests for a page, one after the other, in milliseconds */
async function visits(url: string, count: number): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const startMs = performance.now();
    await (await fetch(`${url}/plain`)).text();
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b)[Math.floor(count * 0.99)] ?? 0;
}

/** Posts a form on a new connection. @returns the status; 0 if the connection was closed */
function send(url: string, body: string, cookie: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": body.length,
      cookie,
    };
    const message = request(`${url}/save`, { method: "POST", headers, agent: false }, (reply) => {
      reply.resume().on("end", () => resolve(reply.statusCode ?? 0));
    });
    message.on("error", () => resolve(0));
    message.end(body);
  });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
