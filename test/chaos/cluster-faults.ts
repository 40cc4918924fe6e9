/** Injects faults into a cluster in random order: kills and freezes processes, restarts the database server, cuts the network. */
import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresServer } from "svckit/testing";
import type { Network } from "./cluster-network.ts";
import { any, type ClusterNode, type ClusterNodes } from "./cluster-nodes.ts";
import type { Sql } from "./cluster-run.ts";

export interface Faults {
  kills: number;
  freezes: number;
  restarts: number;
  cuts: number;
}

type Fault = "kill" | "freeze" | "restart" | "cut";

export class FaultInjector {
  readonly #nodes: ClusterNodes;
  readonly #network: Network;
  readonly #server: PostgresServer;
  readonly #sql: Sql;
  /** For each kill: the time until the process held no runs and was no longer listed. */
  readonly takeoverMs: number[] = [];

  constructor(nodes: ClusterNodes, network: Network, server: PostgresServer, sql: Sql) {
    this.#nodes = nodes;
    this.#network = network;
    this.#server = server;
    this.#sql = sql;
  }

  /** @param seconds over which to spread the faults. */
  async inject(faults: Faults, seconds: number, say: (fault: string) => void): Promise<void> {
    const all = inAnyOrder(faults);
    for (const fault of all) {
      await sleep((seconds * 1000) / (all.length + 1));
      say(fault);
      await this.#make(fault);
    }
  }

  async #make(fault: Fault): Promise<void> {
    if (fault === "cut") return this.#network.cut();
    if (fault === "restart") return this.#server.restart();
    const roles = Math.random() < 0.25 ? (["worker", "web"] as const) : (["worker"] as const);
    const victim = any(this.#nodes.up(...roles));
    if (!victim) return;
    if (fault === "freeze") freeze(victim);
    else await this.#kill(victim);
  }

  async #kill(victim: ClusterNode): Promise<void> {
    victim.child.kill("SIGKILL");
    const over = this.#takenOver(String(victim.child.pid));
    this.#nodes.replace(victim);
    await over;
  }

  async #takenOver(pid: string): Promise<void> {
    const startMs = performance.now();
    const own = await this.#sql<{ id: string }>("select id from svc.processes where host like '%/' || $1", [pid]);
    if (own.length === 0) return;
    const ids = own.map(({ id }) => id);
    for (;;) {
      const [left] = await this.#sql<{ count: number }>(
        `select (select count(*) from svc.graph where holder = any($1) and phase not in ('done', 'failed'))::int
           + (select count(*) from svc.processes where id = any($1))::int as count`,
        [ids],
      );
      if (left?.count === 0) break;
      await sleep(20);
    }
    this.takeoverMs.push(Math.round(performance.now() - startMs));
  }
}

function freeze({ child }: ClusterNode): void {
  child.kill("SIGSTOP");
  void sleep(1000 + Math.random() * 3000).then(() => child.kill("SIGCONT"));
}

function inAnyOrder({ kills, freezes, restarts, cuts }: Faults): Fault[] {
  const counts: Record<Fault, number> = { kill: kills, freeze: freezes, restart: restarts, cut: cuts };
  return (Object.keys(counts) as Fault[])
    .flatMap((fault) => Array.from({ length: counts[fault] }, () => fault))
    .sort(() => Math.random() - 0.5);
}
