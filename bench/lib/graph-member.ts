/**
 * One process of a contender in bench:graphs and bench:cluster. Messages order its turns, and it replies with the results.
 * Its argument: a {@link MemberRole} as JSON.
 */
import { openContender, openMember, type ClusterName, type GraphName } from "./graph-contenders.ts";
import type { Servers } from "./graph-servers.ts";
import { loopDelayMs, turn, type Load, type Sample } from "./graph-turns.ts";

/** Identity of a process. */
export type MemberRole = { servers: Servers | undefined } & (
  | { kind: "alone"; name: GraphName; folder: string }
  /** One of several on the same servers; `member` is its number. */
  | { kind: "one of many"; name: ClusterName; servers: Servers; member: string }
);

/** Messages of a process: ready, result of a turn, event-loop delay. */
export type MemberNews =
  | { kind: "ready" }
  | { kind: "turned"; sample: Sample; cpuMs: number; graphs: number }
  | { kind: "delayed"; ms: number };

/** Orders to a process: run a turn, measure the event-loop delay under load, or end. */
export type MemberOrder =
  | { kind: "turn"; load: Load }
  | { kind: "delay"; perSecond: number; seconds: number }
  | { kind: "close" };

const role = JSON.parse(process.argv[2] ?? "") as MemberRole;
const contender =
  role.kind === "alone"
    ? await openContender(role.name, role.servers, role.folder)
    : await openMember(role.name, role.servers, role.member);
const report = (news: MemberNews): void => void process.send?.(news);

async function runTurn(load: Load): Promise<void> {
  const before = process.cpuUsage();
  const sample = await turn(contender, load);
  const { user, system } = process.cpuUsage(before);
  report({ kind: "turned", sample, cpuMs: (user + system) / 1000, graphs: sample.ms.length });
}

async function perform(order: MemberOrder): Promise<void> {
  if (order.kind === "turn") return runTurn(order.load);
  if (order.kind === "delay")
    return report({ kind: "delayed", ms: await loopDelayMs(contender, order.perSecond, order.seconds) });
  await contender.close().finally(() => process.disconnect?.());
}

process.on("message", (order: MemberOrder) => {
  perform(order).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
report({ kind: "ready" });
