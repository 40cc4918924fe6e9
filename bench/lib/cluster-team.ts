/** The processes of one contender in bench:cluster: as many as are asked for, started, given turns together, and ended. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { MemberNews, MemberOrder } from "./cluster-member.ts";
import type { ClusterName } from "./graph-contenders.ts";
import type { Servers } from "./graph-servers.ts";
import type { Load, Sample } from "./graph-turns.ts";

export interface TeamTurn extends Sample {
  /** Processor time of its processes, for each graph. */
  nodeMs: number;
  graphs: number;
}

export interface Team {
  /** What is asked is shared out among the processes. */
  turn(load: Load): Promise<TeamTurn>;
  close(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("./cluster-member.js", import.meta.url));

export async function openTeam(name: ClusterName, servers: Servers, size: number, database: string): Promise<Team> {
  const members: ChildProcess[] = [];
  const share = (count: number): number => Math.max(1, Math.round(count / size));
  const end = async (): Promise<void> => void (await Promise.all(members.map(close)));
  // One after the other: not everybody can make their tables together.
  for (let at = 0; at < size; at++) {
    const member = start(name, servers, String(at), database);
    members.push(member);
    await hear(member).catch(async (error: unknown) => {
      await end();
      throw error;
    });
  }
  return {
    turn: async (load) => {
      const own = { ...load, atOnce: share(load.atOnce), graphs: share(load.graphs) };
      return together(await Promise.all(members.map((member) => hear(member, { kind: "turn", load: own }))));
    },
    close: end,
  };
}

async function close(member: ChildProcess): Promise<void> {
  if (member.exitCode !== null || member.signalCode !== null) return;
  const ended = once(member, "exit");
  member.send({ kind: "close" } satisfies MemberOrder);
  await ended;
}

function start(name: ClusterName, servers: Servers, member: string, database: string): ChildProcess {
  return fork(SCRIPT, [name, JSON.stringify({ ...servers, postgres: database }), member], {
    env: {
      ...process.env,
      SVC_DATABASE_URL: database,
      SVC_SECRET: "a-secret-of-the-bench-0123456789",
      SVC_LOG_LEVEL: "error",
      DBOS__VMID: `member-${member}`,
    },
  });
}

/** The next that a process says, after it was asked for something. @throws Error where it has ended instead. */
async function hear(member: ChildProcess, order?: MemberOrder): Promise<MemberNews> {
  const answer = Promise.race([
    once(member, "message").then(([news]) => news as MemberNews),
    once(member, "exit").then(([code]) => Promise.reject(new Error(`a process of the bench has ended with ${code}`))),
  ]);
  if (order) member.send(order);
  return answer;
}

function together(all: readonly MemberNews[]): TeamTurn {
  const turns = all.flatMap((news) => (news.kind === "turned" ? [news] : []));
  const graphs = turns.reduce((total, turn) => total + turn.graphs, 0);
  return {
    perSecond: turns.reduce((total, { sample }) => total + sample.perSecond, 0),
    ms: turns.flatMap(({ sample }) => sample.ms),
    nodeMs: turns.reduce((total, { cpuMs }) => total + cpuMs, 0) / graphs,
    graphs,
  };
}
