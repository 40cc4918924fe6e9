/**
 * Routes a command to the process that holds its run, and executes commands that others route here. A run without a holder is taken by
 * the asked process, if it has the definition.
 */
import { StaleLeaseError, type LeasedRun, type RunCommand } from "../engine/cluster-port.ts";
import type { Snapshot } from "../machine/view-types.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { answerOf, snapshotFrom, type Answer, type Commands } from "./run-commands.ts";
import type { Leases } from "./leases.ts";

/** Time to follow a run that changes its holder. */
const REACH_MS = 15_000;
const REACH_AGAIN_MS = 50;

type Place = { kind: "here"; lease: number } | { kind: "mine" } | { kind: "elsewhere"; process: string; me: string };

export interface ReachOptions {
  leases: Leases;
  commands: Commands;
  clock: Clock;
  log: Log;
  /** Task identifiers of the runs that this process can execute. */
  identifiers: readonly string[];
  /** Id of this process; undefined while it has lost its database. */
  me: () => string | undefined;
  held: () => LeasedRun | undefined;
  /** Whether a run is being loaded here. */
  isTakingUp: (graphId: string) => boolean;
  isClosing: () => boolean;
}

export class Reach {
  readonly #options: ReachOptions;

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  /**
   * @param here executes the command in this process, once it has the lease.
   * @throws SvcError `SVC_NOT_FOUND`; rejections of the process that holds it; `SVC_UNAVAILABLE` if that can't be reached.
   */
  async ask(graphId: string, command: RunCommand, here: (lease: number) => Promise<Snapshot>): Promise<Snapshot> {
    const { clock, commands } = this.#options;
    let cause: unknown;
    for (const endMs = clock.elapsed() + REACH_MS; clock.elapsed() < endMs;) {
      const where = await this.#find(graphId).catch((error: unknown) => {
        // The database is unavailable. A rejection of the other process is an answer.
        if (error instanceof SvcError) throw error;
        cause = error;
        return undefined;
      });
      if (where?.kind === "here")
        try {
          return await here(where.lease);
        } catch (error) {
          // Another process holds it by now, and nothing was written.
          if (!(error instanceof StaleLeaseError)) throw error;
          cause = error;
        }
      const held = this.#options.held();
      if (where?.kind === "mine" && held?.holds(graphId)) return held.execute(graphId, command);
      if (where?.kind === "elsewhere") {
        const answer = await commands.ask(where.process, where.me, graphId, command, endMs);
        // The holder has changed meanwhile.
        if (answer !== undefined && answer.kind !== "moved") return snapshotFrom(answer);
      }
      await new Promise<void>((again) => clock.schedule(REACH_AGAIN_MS, again));
    }
    throw new SvcError("SVC_UNAVAILABLE", `The process that holds the graph ${graphId} can't be reached. Try again.`, {
      cause,
    });
  }

  /** Executes a command of another process. */
  async execute(graphId: string, command: RunCommand): Promise<Answer> {
    const held = this.#options.held();
    const isFor = held?.holds(graphId) === true || (await this.#isToTake(graphId));
    return held && isFor ? answerOf(held.execute(graphId, command), graphId, this.#options.log) : { kind: "moved" };
  }

  /** The holder of a run: this process from now on, if there was none. Undefined while it is unknown. */
  async #find(graphId: string): Promise<Place | undefined> {
    const { leases } = this.#options;
    const found = await leases.whereabouts(graphId);
    if (!found) throw new SvcError("SVC_NOT_FOUND", `There is no graph "${graphId.slice(0, 80)}"`);
    const me = this.#options.me();
    if (me === undefined) return undefined;
    const { holder, identifier } = found;
    const isMine = holder === me;
    if (isMine && this.#options.held()?.holds(graphId)) return { kind: "mine" };
    if (isMine && this.#options.isTakingUp(graphId)) return undefined;
    if (!isMine && holder !== null) return { kind: "elsewhere", process: holder, me };
    // Loading it with different nodes would fail it: a process with its definition takes it, if there is one.
    const other = this.#has(identifier) ? undefined : await leases.fitting(identifier);
    if (other !== undefined && other !== me) return { kind: "elsewhere", process: other, me };
    const taken = (await leases.take([graphId], me, true))?.[0];
    return taken && { kind: "here", lease: taken.number };
  }

  /** Whether it has no holder, and this process was asked because it has the definition. */
  async #isToTake(graphId: string): Promise<boolean> {
    const found = await this.#options.leases.whereabouts(graphId);
    return found?.holder === null && this.#has(found.identifier) && !this.#options.isClosing();
  }

  /** Whether this process has the definition. */
  #has(identifier: string): boolean {
    return this.#options.identifiers.includes(identifier);
  }
}
