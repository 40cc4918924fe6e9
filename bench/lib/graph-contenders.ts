/** The contenders of bench:graphs and bench:cluster: svc, a bare loop of promises, and engines with their own servers (bench/peers/graphs). */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createApp } from "svckit";
import { createEngine, graph, openStore, systemClock, worker, type Engine, type GraphDefinition } from "svckit/graph";
import type { Servers } from "./graph-servers.ts";
import { install, versionOf } from "./peers.ts";
import { peersDir } from "./places.ts";

export interface Contender {
  chain(n: number): Promise<number>;
  /** undefined if the engine can't join jobs. */
  fanOut?: (n: number, items: number) => Promise<number>;
  close(): Promise<void>;
}

export const GRAPH_NAMES = ["svc", "loop", "bullmq", "dbos", "graphile"] as const;
export type GraphName = (typeof GRAPH_NAMES)[number];

/** Contenders whose processes share a server. */
export const CLUSTER_NAMES = ["svc", "dbos", "graphile", "bullmq"] as const;
export type ClusterName = (typeof CLUSTER_NAMES)[number];

const folder = join(peersDir, "graphs");

export function titleOf(name: GraphName, ours = "SQLite"): string {
  if (name === "svc") return `**svc** on ${ours}`;
  if (name === "loop") return "promises";
  const packages = { bullmq: "bullmq", dbos: "@dbos-inc/dbos-sdk", graphile: "graphile-worker" };
  const titles = { bullmq: "BullMQ", dbos: "DBOS", graphile: "graphile-worker" };
  const servers = { bullmq: "Redis", dbos: "PostgreSQL", graphile: "PostgreSQL" };
  return `${titles[name]} ${versionOf(packages[name], folder)} on ${servers[name]}`;
}

/** Data on disk when a graph has ended, and its durability. */
export const PERSISTS: Record<GraphName, string> = {
  svc: "graph, nodes, results, every event; synced before each next node",
  loop: "nothing",
  bullmq: "jobs and their values; synced once a second",
  dbos: "workflow and each step's result; synced before the next step",
  graphile: "jobs, no results; synced before each next job",
};

/** @param dir directory of svc's database. @throws Error if the server is missing ({@link isInstalled}) */
export async function openContender(name: GraphName, servers: Servers | undefined, dir: string): Promise<Contender> {
  if (name === "svc") return openSvc(dir);
  if (name === "loop") return openLoop();
  if (!servers) throw new Error(`${name} needs its server`);
  return openPeer(name, servers, "");
}

/** Whether the machine has the server that it needs. */
export function isInstalled(name: GraphName, servers: Servers | undefined): boolean {
  return name === "svc" || name === "loop" || servers?.[serverOf(name)] !== undefined;
}

/** The server that stores a contender's graphs. */
export function serverOf(name: GraphName): "redis" | "postgres" {
  return name === "bullmq" ? "redis" : "postgres";
}

async function openPeer(name: Exclude<GraphName, "svc">, servers: Servers, member: string): Promise<Contender> {
  await install(folder);
  const path = pathToFileURL(join(folder, `${name}.js`)).href;
  const peer = (await import(path)) as { open(servers: Servers, member: string): Promise<Contender> };
  return peer.open(servers, member);
}

function openLoop(): Contender {
  const increment = async (n: number): Promise<number> => n + 1;
  return {
    chain: async (n) => increment(await increment(await increment(n))),
    fanOut: async (n, items) => {
      const all = await Promise.all(Array.from({ length: items }, (_, at) => increment(n + at)));
      return all.reduce((total, item) => total + item, 0);
    },
    close: async () => undefined,
  };
}

const many = { perProcess: 1000 };

function definitions(): GraphDefinition[] {
  const increment = worker("increment", many, (n: number) => n + 1);
  const list = worker("list", many, ({ n, items }: { n: number; items: number }) =>
    Array.from({ length: items }, (_, at) => n + at),
  );
  const sum = worker("sum", many, (all: number[]) => all.reduce((total, n) => total + n, 0));
  const chain = graph("chain", (g) => {
    const first = g.node("first", increment);
    const second = g.node("second", increment, { after: [first], input: (_input, deps) => deps["first"] });
    return g.node("third", increment, { after: [second], input: (_input, deps) => deps["second"] });
  });
  const fanOut = graph("fan-out", (g) => {
    const items = g.node("list", list);
    const done = g.map("item", increment, items, (all) => all);
    return g.node("sum", sum, { after: [done], input: (_input, deps) => deps["item"] });
  });
  return [chain, fanOut] as GraphDefinition[];
}

function contenderOf(engine: Engine, close: () => Promise<void>): Contender {
  const end = async (name: string, input: Parameters<Engine["start"]>[1]): Promise<number> => {
    const { snapshot } = await engine.start(name, input);
    return Number(await engine.result(snapshot.graph_id));
  };
  return { chain: (n) => end("chain", n), fanOut: (n, items) => end("fan-out", { n, items }), close };
}

async function openSvc(dir: string): Promise<Contender> {
  const store = await openStore(`sqlite:${join(dir, "svc.db")}`);
  const engine = createEngine({ store, graphs: definitions(), clock: systemClock });
  return contenderOf(engine, async () => {
    await engine.close();
    await store.close();
  });
}

/** A complete app, as `svc start` runs it, on the database of SVC_DATABASE_URL: one of the processes. */
async function openSvcApp(): Promise<Contender> {
  const app = createApp({ graphs: definitions() });
  await app.boot();
  return contenderOf(app.engine, () => app.close());
}

/** One of several processes on the same servers. @param member number of the process */
export async function openMember(name: ClusterName, servers: Servers, member: string): Promise<Contender> {
  if (name === "svc") return openSvcApp();
  return openPeer(name, servers, member);
}
