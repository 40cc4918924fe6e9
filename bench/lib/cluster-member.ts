/**
 * One process of a contender in bench:cluster. It is told by messages what to run, and answers with what came of it. Its arguments: the
 * contender, its servers as JSON, and what it is called among the others.
 */
import { openMember, type ClusterName } from "./graph-contenders.ts";
import type { Servers } from "./graph-servers.ts";
import { turn, type Load, type Sample } from "./graph-turns.ts";

/** What a process says: that it is there, or what came of a turn. */
export type MemberNews = { kind: "ready" } | { kind: "turned"; sample: Sample; cpuMs: number; graphs: number };

/** What it is asked: a turn, or to end. */
export type MemberOrder = { kind: "turn"; load: Load } | { kind: "close" };

const [name, servers, member] = process.argv.slice(2) as [ClusterName, string, string];
const contender = await openMember(name, JSON.parse(servers) as Servers, member);
const tell = (news: MemberNews): void => void process.send?.(news);

async function runTurn(load: Load): Promise<void> {
  const before = process.cpuUsage();
  const sample = await turn(contender, load);
  const { user, system } = process.cpuUsage(before);
  tell({ kind: "turned", sample, cpuMs: (user + system) / 1000, graphs: sample.ms.length });
}

process.on("message", (order: MemberOrder) => {
  const done = order.kind === "turn" ? runTurn(order.load) : contender.close().finally(() => process.disconnect?.());
  done.catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
tell({ kind: "ready" });
