/**
 * Several processes on one PostgreSQL while processes are killed and frozen, connections are cut and the server is ended at once;
 * then all that was acknowledged is held against what is stored, what receivers got and what followers saw.
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { startPostgres } from "svc/testing";
import { LISTENS } from "./cluster-process.ts";
import { tcpProxy } from "./tcp-proxy.ts";

export interface ClusterOrder {
  web: number;
  workers: number;
  graphs: number;
  kills: number;
  freezes: number;
  restarts: number;
  cuts: number;
  /** Over which the faults are spread. */
  seconds: number;
}

export interface ClusterReport {
  acknowledged: number;
  /** Acknowledged, and not in the database. */
  lost: string[];
  /** Not at their end when all was over. */
  unfinished: string[];
  failed: string[];
  /** Nodes with more than one result. */
  twice: number;
  /** Graphs whose events are not numbered from 1 without gaps. */
  gaps: number;
  /** Graphs of whose end nobody heard, or under more than one delivery. */
  unheard: string[];
  doubled: string[];
  /** Deliveries that arrived more than once, under the same id. */
  repeated: number;
  /** Followers who missed an event, or had one twice. */
  misled: string[];
  followed: number;
  /** From a kill until nothing was held by the process any more. */
  takeoverMs: number[];
}

const API_KEY = "an-operator-key-of-the-chaos-0123456789";
const KINDS = ["chain", "fan", "approval"] as const;
/** Whoever follows some graphs through all of it is enough to see a gap. */
const FOLLOWED_EACH = 25;
const SETTLE_MS = 120_000;
/** Told where the end is long in coming. */
const WHAT_WAITS = [
  `select g.id, g.worker, g.phase, g.seq, g.lease, g.holder, j.attempts, j.locked_by, j.run_at
   from svc.graph g left join graphile_worker.jobs j on j.key = g.id where g.phase not in ('done', 'failed') limit 4`,
  "select id, role, host, pools, extract(epoch from clock_timestamp() - seen_at)::int as silent from svc.processes",
  "select id, attempts, due_ms, claimed_by from svc.delivery where status = 'pending' limit 4",
];

class Node {
  readonly child: ChildProcess;
  readonly role: string;
  url = "";

  constructor(role: string, env: NodeJS.ProcessEnv) {
    this.role = role;
    const script = join(fileURLToPath(import.meta.url), "../cluster-process.js");
    this.child = spawn(process.execPath, [script, "go"], {
      env: { ...process.env, ...env, SVC_ROLE: role },
      stdio: ["ignore", "pipe", "inherit"],
    });
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      if (line.startsWith(LISTENS)) this.url = line.slice(LISTENS.length);
    });
  }

  get isUp(): boolean {
    return this.url !== "" && this.child.exitCode === null && this.child.signalCode === null;
  }
}

export async function runCluster(
  order: ClusterOrder,
  say: (text: string) => void = () => undefined,
): Promise<ClusterReport> {
  const server = await startPostgres();
  const proxy = await tcpProxy(server.port);
  const arrived = new Map<string, string[]>();
  const receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { graph_id: id } = JSON.parse(body) as { graph_id: string };
      arrived.set(id, [...(arrived.get(id) ?? []), String(request.headers["x-svc-delivery"])]);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  const databaseUrl = new URL(server.url);
  databaseUrl.port = String(proxy.port);
  const env = {
    SVC_DATABASE_URL: databaseUrl.href,
    SVC_SECRET: "a-secret-of-the-chaos-0123456789",
    SVC_EXEC_API_KEY: API_KEY,
    SVC_WEBHOOK_URLS: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    SVC_WEBHOOK_SECRET: "a-webhook-secret-of-the-chaos-0123456789",
    SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    SVC_LOG_LEVEL: process.env["CLUSTER_LOG"] ?? "silent",
    HOST: "127.0.0.1",
    PORT: "0",
  };
  const nodes: Node[] = [];
  const boot = (role: string): void => void nodes.push(new Node(role, env));
  const up = (role: string): Node[] => nodes.filter((node) => node.role === role && node.isUp);
  const sql = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> => {
    for (let tries = 0; ; tries++) {
      const client = new pg.Client({ connectionString: server.url });
      client.on("error", () => undefined);
      try {
        await client.connect();
        return (await client.query(text, values)).rows as Row[];
      } catch (error) {
        if (tries > 100) throw error;
        await sleep(100);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  };
  const any = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)];
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const url = any(up("web"))?.url;
    if (url === undefined) throw new Error("no process serves");
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  /** Until it is answered: an idempotency key makes that harmless. */
  const insist = async (path: string, body: unknown): Promise<Record<string, string>> => {
    for (let tries = 0; ; tries++)
      try {
        return (await ask(path, body)) as Record<string, string>;
      } catch (error) {
        if (tries > 300) throw error;
        await sleep(100);
      }
  };

  const acknowledged = new Map<string, string>();
  const followers: Promise<string | undefined>[] = [];
  const closing = new AbortController();
  /** Follows over whatever breaks, from the last event that came. @returns what was wrong */
  const follow = async (id: string): Promise<string | undefined> => {
    let last = 0;
    while (!closing.signal.aborted)
      try {
        const headers = { authorization: `Bearer ${API_KEY}`, "last-event-id": String(last) };
        const url = `${any(up("web"))?.url}/_svc/graphs/${id}/events`;
        const response = await fetch(url, { headers, signal: closing.signal });
        if (!response.ok || !response.body) throw new Error(String(response.status));
        let text = "";
        for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
          text += chunk;
          for (let at = text.indexOf("\n\n"); at >= 0; at = text.indexOf("\n\n")) {
            const frame = text.slice(0, at);
            text = text.slice(at + 2);
            const seq = Number(/^id: ?(\d+)$/m.exec(frame)?.[1]);
            if (Number.isNaN(seq)) continue;
            if (seq !== last + 1) return `${id}: ${seq} after ${last}`;
            last = seq;
            if (/"type":"graph\.(?:done|failed)"/.test(frame)) return undefined;
          }
        }
      } catch {
        await sleep(100);
      }
    return `${id}: nothing after ${last}`;
  };

  const takeoverMs: number[] = [];
  /** Until nobody holds what a process held. */
  const takenOver = async (host: string): Promise<void> => {
    const startMs = performance.now();
    const own = await sql<{ id: string }>("select id from svc.processes where host like '%/' || $1", [host]);
    if (own.length === 0) return;
    for (;;) {
      const held = await sql(
        "select id from svc.graph where holder = any($1) and phase not in ('done', 'failed') limit 1",
        [own.map(({ id }) => id)],
      );
      const listed = await sql("select id from svc.processes where id = any($1)", [own.map(({ id }) => id)]);
      if (held.length === 0 && listed.length === 0) break;
      await sleep(20);
    }
    takeoverMs.push(Math.round(performance.now() - startMs));
  };

  try {
    for (let at = 0; at < order.web; at++) boot("web");
    for (let at = 0; at < order.workers; at++) boot("worker");
    for (const endMs = Date.now() + 60_000; up("web").length < order.web || up("worker").length < order.workers;) {
      assert.ok(Date.now() < endMs, "the processes did not start");
      await sleep(50);
    }
    say("up");

    const faults = [
      ...Array.from({ length: order.kills }, () => "kill"),
      ...Array.from({ length: order.freezes }, () => "freeze"),
      ...Array.from({ length: order.restarts }, () => "restart"),
      ...Array.from({ length: order.cuts }, () => "cut"),
    ].sort(() => Math.random() - 0.5);
    let isStarting = true;
    const load = async (): Promise<void> => {
      for (let next = 0; next < order.graphs;) {
        const slice = Array.from({ length: Math.min(10, order.graphs - next) }, (_, at) => next + at);
        next += slice.length;
        await Promise.all(
          slice.map(async (number) => {
            const kind = KINDS[number % KINDS.length] as string;
            const body = { worker: kind, input: number, idempotency_key: `chaos-${number}` };
            const { graph_id: id } = await insist("/_svc/graphs", body);
            acknowledged.set(id as string, kind);
            if (number % FOLLOWED_EACH === 0) followers.push(follow(id as string));
            if (kind !== "approval") return;
            await insist(`/_svc/graphs/${id}/signal`, { name: "go", payload: null, idempotency_key: "go" });
          }),
        );
        await sleep((order.seconds * 1000) / (order.graphs / 10));
      }
      isStarting = false;
    };
    const torment = async (): Promise<void> => {
      for (const fault of faults) {
        await sleep((order.seconds * 1000) / (faults.length + 1));
        say(`${fault} (${acknowledged.size} started)`);
        if (fault === "cut") proxy.cut();
        else if (fault === "restart") await server.restart();
        else {
          const victim = any([...up("worker"), ...(Math.random() < 0.25 ? up("web") : [])]);
          if (!victim) continue;
          const { pid } = victim.child;
          if (fault === "freeze") {
            victim.child.kill("SIGSTOP");
            void sleep(1000 + Math.random() * 3000).then(() => victim.child.kill("SIGCONT"));
          } else {
            victim.child.kill("SIGKILL");
            const over = takenOver(String(pid));
            boot(victim.role);
            await over;
          }
        }
      }
    };
    await Promise.all([load(), torment()]);
    assert.ok(!isStarting);
    say(`all ${acknowledged.size} started`);

    const ids = [...acknowledged.keys()];
    const left = (): Promise<{ id: string }[]> =>
      sql("select id from svc.graph where id = any($1) and phase not in ('done', 'failed')", [ids]);
    const isHeard = (): boolean => ids.every((id) => arrived.has(id));
    for (const endMs = Date.now() + SETTLE_MS; Date.now() < endMs;) {
      const open = await left();
      if (open.length === 0 && isHeard()) break;
      await sleep(1000);
      if (Math.random() < 0.9) continue;
      say(`${open.length} to end, ${ids.filter((id) => !arrived.has(id)).length} to be heard of`);
      for (const text of WHAT_WAITS) say(JSON.stringify(await sql(text)).slice(0, 1500));
    }
    // What arrives a second time does so soon after.
    await sleep(500);
    const misled = await Promise.race([
      Promise.all(followers),
      sleep(20_000, undefined, { ref: false }).then(() => {
        closing.abort();
        return Promise.all(followers);
      }),
    ]);
    const known = new Set((await sql<{ id: string }>("select id from svc.graph")).map(({ id }) => id));
    const [twice] = await sql<{ count: string }>(
      `select count(*) from (
         select from svc.event, json_array_elements(data::json) one where one->>'type' = 'node.done' group by graph_id, one->>'node' having count(*) > 1
       ) twice`,
    );
    const [gaps] = await sql<{ count: string }>(
      `select count(*) from (
         select from svc.event group by graph_id having min(first) <> 1 or max(last) <> sum(json_array_length(data::json))
       ) gaps`,
    );
    const failed = await sql<{ id: string; error: string }>("select id, error from svc.graph where phase = 'failed'");
    return {
      acknowledged: acknowledged.size,
      lost: ids.filter((id) => !known.has(id)),
      unfinished: (await left()).map(({ id }) => id),
      failed: failed.map(({ id, error }) => `${id}: ${error}`),
      twice: Number(twice?.count),
      gaps: Number(gaps?.count),
      unheard: ids.filter((id) => !arrived.has(id)),
      doubled: ids.filter((id) => new Set(arrived.get(id)).size > 1),
      repeated: [...arrived.values()].filter((all) => all.length > 1).length,
      misled: misled.filter((text) => text !== undefined),
      followed: followers.length,
      takeoverMs: takeoverMs.sort((a, b) => a - b),
    };
  } finally {
    closing.abort();
    for (const { child } of nodes) {
      child.kill("SIGCONT");
      child.kill("SIGKILL");
    }
    proxy.close();
    receiver.closeAllConnections();
    receiver.close();
  }
}
