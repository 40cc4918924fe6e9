/**
 * The processes of one contender in bench:graphs and bench:cluster: starts them, gives them turns together, and ends them. Contenders
 * never share a process, because process-wide features of one library, such as promise hooks, would slow down the others.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { MemberNews, MemberOrder, MemberRole } from "./graph-member.ts";
import type { ClusterName, GraphName } from "./graph-contenders.ts";
import type { Servers } from "./graph-servers.ts";
import type { Load, Sample } from "./graph-turns.ts";

export interface TeamTurn extends Sample {
  /** Processor time of its processes per graph. */
  nodeMs: number;
  graphs: number;
}

export interface Team {
  /** Distributes the graphs of a turn over the processes. */
  turn(load: Load): Promise<TeamTurn>;
  /** Event-loop delay of its only process while this number of chains starts per second. */
  delayMs(perSecond: number, seconds: number): Promise<number>;
  close(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("./graph-member.js", import.meta.url));

/** One process. @param folder directory of svc's database */
export async function openAlone(name: GraphName, servers: Servers | undefined, folder: string): Promise<Team> {
  return openTeam([{ kind: "alone", name, servers, folder }], process.env);
}

/** @param database URL of the contender's database */
export async function openTogether(name: ClusterName, servers: Servers, size: number, database: string): Promise<Team> {
  const own = { ...servers, postgres: database };
  const env = {
    ...process.env,
    SVC_DATABASE_URL: database,
    SVC_SECRET: "a-secret-of-the-bench-0123456789",
    SVC_LOG_LEVEL: "error",
  };
  const roles = Array.from({ length: size }, (_, at): MemberRole => ({
    kind: "one of many",
    name,
    servers: own,
    member: String(at),
  }));
  return openTeam(roles, env);
}

async function openTeam(roles: readonly MemberRole[], env: NodeJS.ProcessEnv): Promise<Team> {
  const members: ChildProcess[] = [];
  const share = (count: number): number => Math.max(1, Math.round(count / roles.length));
  const end = async (): Promise<void> => void (await Promise.all(members.map(close)));
  // One after the other: some contenders can't create their tables concurrently.
  for (const [at, role] of roles.entries()) {
    const member = fork(SCRIPT, [JSON.stringify(role)], { env: { ...env, DBOS__VMID: `member-${at}` } });
    members.push(member);
    await hear(member).catch(async (error: unknown) => {
      await end();
      throw error;
    });
  }
  const all = (order: MemberOrder): Promise<MemberNews[]> => Promise.all(members.map((member) => hear(member, order)));
  return {
    turn: async (load) => {
      const own = { ...load, atOnce: share(load.atOnce), graphs: share(load.graphs) };
      return together(await all({ kind: "turn", load: own }));
    },
    delayMs: async (perSecond, seconds) => {
      const [news] = await all({ kind: "delay", perSecond, seconds });
      return news?.kind === "delayed" ? news.ms : Number.NaN;
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

/** @returns the next message of a process after an order. @throws Error if it ends instead */
async function hear(member: ChildProcess, order?: MemberOrder): Promise<MemberNews> {
  const heard = new AbortController();
  const { signal } = heard;
  const answer = Promise.race([
    once(member, "message", { signal }).then(([news]) => news as MemberNews),
    once(member, "exit", { signal }).then(([code]) =>
      Promise.reject(new Error(`a process of the bench has ended with ${code}`)),
    ),
  ]);
  if (order) member.send(order);
  // Remove the remaining listener.
  return answer.finally(() => heard.abort());
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
