/**
 * Carries a wish to the process that holds its graph, and fulfils what others carry here. A graph that nobody holds is taken up for it
 * by the process that was asked, if that has what it takes.
 */
import { Outrun, type Held, type Wish } from "../engine/cluster-port.ts";
import type { Snapshot } from "../machine/view-types.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { answerOf, snapshotFrom, type Answer, type Commands } from "./run-commands.ts";
import type { Leases } from "./leases.ts";

/** How long a wish is carried after a graph that changes hands. */
const REACH_MS = 15_000;
const REACH_AGAIN_MS = 50;

type Place = { kind: "here"; lease: number } | { kind: "mine" } | { kind: "elsewhere"; process: string; me: string };

export interface ReachOptions {
  leases: Leases;
  commands: Commands;
  clock: Clock;
  log: Log;
  /** Task identifiers of the graphs that this process can go on with. */
  identifiers: readonly string[];
  /** The number of this process; undefined while it has lost its database. */
  me: () => string | undefined;
  held: () => Held | undefined;
  /** Whether a graph is being taken up here. */
  isTakingUp: (graphId: string) => boolean;
  isClosing: () => boolean;
}

export class Reach {
  readonly #options: ReachOptions;

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  /**
   * @param here how it is done in this process, once the graph is leased to it.
   * @throws SvcError `SVC_NOT_FOUND`; what the process that holds it refuses with; `SVC_UNAVAILABLE` when that can't be reached.
   */
  async ask(graphId: string, wish: Wish, here: (lease: number) => Promise<Snapshot>): Promise<Snapshot> {
    const { clock, commands } = this.#options;
    let cause: unknown;
    for (const endMs = clock.elapsed() + REACH_MS; clock.elapsed() < endMs;) {
      const where = await this.#find(graphId).catch((error: unknown) => {
        // The database is away; a refusal of the other process is an answer.
        if (error instanceof SvcError) throw error;
        cause = error;
        return undefined;
      });
      if (where?.kind === "here")
        try {
          return await here(where.lease);
        } catch (error) {
          // Another has it by now; nothing was written.
          if (!(error instanceof Outrun)) throw error;
          cause = error;
        }
      const held = this.#options.held();
      if (where?.kind === "mine" && held?.holds(graphId)) return held.fulfil(graphId, wish);
      if (where?.kind === "elsewhere") {
        const answer = await commands.ask(where.process, where.me, graphId, wish, endMs);
        // It has changed hands meanwhile.
        if (answer !== undefined && answer.kind !== "moved") return snapshotFrom(answer);
      }
      await new Promise<void>((again) => clock.schedule(REACH_AGAIN_MS, again));
    }
    throw new SvcError("SVC_UNAVAILABLE", `The process that holds the graph ${graphId} can't be reached; try again`, {
      cause,
    });
  }

  /** What another process has asked of this one. */
  async fulfil(graphId: string, wish: Wish): Promise<Answer> {
    const held = this.#options.held();
    const isFor = held?.holds(graphId) === true || (await this.#isToTake(graphId));
    return held && isFor ? answerOf(held.fulfil(graphId, wish), graphId, this.#options.log) : { kind: "moved" };
  }

  /** Who holds a graph: this process from now on, where nobody did. Undefined while it can't be told. */
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
    // Who would take it up with other nodes than it was started with fails it: it is for a process that has them, if there is one.
    const other = this.#has(identifier) ? undefined : await leases.fitting(identifier);
    if (other !== undefined && other !== me) return { kind: "elsewhere", process: other, me };
    const taken = (await leases.take([graphId], me, true))?.[0];
    return taken && { kind: "here", lease: taken.number };
  }

  /** Whether nobody holds it, and this process was asked since it has what it takes. */
  async #isToTake(graphId: string): Promise<boolean> {
    const found = await this.#options.leases.whereabouts(graphId);
    return found?.holder === null && this.#has(found.identifier) && !this.#options.isClosing();
  }

  /** Whether graphs of a definition can be taken up here. */
  #has(identifier: string): boolean {
    return this.#options.identifiers.includes(identifier);
  }
}
