/**
 * Which ready node runs now and which waits: a lane for each worker (worker-queue.ts), and one limit over all of them. Where there
 * is room a node is marked running in the very unit that makes it ready; otherwise when its turn comes.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/unit.ts";
import type { Elsewhere, Hand } from "./remote/remote-attempts.ts";
import { COUNTED_ELSEWHERE, NO_KEYS } from "./queue/task-queue.ts";
import type { LiveGraph } from "./live-run.ts";
import { keysOf } from "./node-input.ts";
import type { Permits } from "./queue/permit-types.ts";
import type { Place } from "./queue/slot.ts";
import {
  isItsSeat,
  isSeated,
  unseat,
  WorkerLane,
  type AnySeat,
  type LaneOwner,
  type NodeSeat,
} from "./queue/worker-queue.ts";
import type { LaneReport } from "../machine/report-types.ts";
import type { Worker } from "../definition/definition-types.ts";

/** A place in its lane, given to one attempt of a node. */
export interface Claim {
  live: LiveGraph;
  place: Place;
  node: NodeRow;
  attempt: number;
  epoch: number;
  /** Why the worker can't be called. */
  fault: string | undefined;
  /** Where its place is another process's. */
  hand: Hand | undefined;
}

export interface DispatcherOptions {
  clock: Clock;
  /** Attempts at once, of all workers together. */
  concurrency: number;
  /** Whether nothing new may start. */
  isClosing: () => boolean;
  /** Whether the engine still goes by this mirror of its graph. */
  isLive: (live: LiveGraph) => boolean;
  /** Commits the start of a node whose turn has come, then runs it. */
  start: (live: LiveGraph, unit: Transition, claim: Claim) => void;
  /** Where several processes share the store. */
  permits: Permits | undefined;
  /** Whether another process runs it: then places are that one's. */
  isElsewhere: (worker: Worker<never, unknown>) => boolean;
  /** Where several processes share the store. */
  elsewhere: Elsewhere | undefined;
  /** Told as a place is taken and given back. */
  onPlace: (isHeld: boolean) => void;
  /** Told of the worker of each node that becomes ready. */
  onReady: ((worker: string) => void) | undefined;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #owner: LaneOwner;
  readonly #lanes = new Map<string, WorkerLane>();
  readonly #paused = new Set<string>();
  #running = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, permits, elsewhere, isClosing, onPlace } = options;
    this.#owner = {
      clock,
      permits,
      elsewhere,
      isClosing,
      onPlace,
      isWanted: (seat) => this.#isWanted(seat),
      count: (more) => void (this.#running += more),
      onRoom: (lane) => this.#fill(lane),
      goOn: (lane, seat, permit, hand) => {
        if (seat.isStart) this.#start(lane, seat, permit, hand);
        else seat.goOn(permit);
      },
    };
  }

  /** Marks what became ready as running in the same unit, where its lane has room; the rest waits for its turn. */
  claim(live: LiveGraph, unit: Transition): Claim[] {
    const { clock, concurrency, isClosing, onReady } = this.#options;
    if (isClosing()) return [];
    const claims: Claim[] = [];
    for (const node of live.machine.takeReady()) {
      if (isSeated(live, node)) continue;
      const lane = this.#laneOf(live.machine.definitionOf(node.id).worker);
      const { keys, fault } = keysOf(live.machine, node, lane.worker.options);
      onReady?.(lane.worker.name);
      if (!lane.limits && this.#running < concurrency && lane.lane.enter(keys)) {
        live.machine.nodeStarted(node, clock.now(), unit);
        lane.spreader?.started();
        claims.push(this.#claimOf(live, node, lane.placeIn(keys), fault));
      } else lane.wait(live, node, keys, fault);
      if (lane.limits) this.#fill(lane);
    }
    return claims;
  }

  /** Runs what the store has as ready already. */
  dispatch(live: LiveGraph): void {
    if (this.#options.isClosing()) return;
    const touched = new Set<WorkerLane>();
    for (const node of live.machine.takeReady()) {
      if (isSeated(live, node)) continue;
      const lane = this.#laneOf(live.machine.definitionOf(node.id).worker);
      const { keys, fault } = keysOf(live.machine, node, lane.worker.options);
      this.#options.onReady?.(lane.worker.name);
      lane.wait(live, node, keys, fault);
      touched.add(lane);
    }
    for (const lane of touched) this.#fill(lane);
  }

  /**
   * A place in a worker's lane for what is no attempt; not counted by its rate.
   * @param goOn called with the place when there is room. @param isWanted asked when its turn has come.
   * @param hasPermit whether it needs none of its own.
   */
  place(
    worker: Worker<never, unknown>,
    goOn: (place: Place) => void,
    isWanted: () => boolean,
    hasPermit = false,
  ): void {
    const lane = this.#laneOf(worker);
    const keys = hasPermit ? COUNTED_ELSEWHERE : NO_KEYS;
    const take = (permit: string | undefined): void => goOn(lane.placeIn(keys, permit));
    lane.waitToGoOn({ keys, isWanted, hasPermit, goOn: take });
  }

  /** A place for nodes of a graph of another process's, counted there. @returns undefined where there is none to spare. */
  lend(worker: Worker<never, unknown>): Place | undefined {
    const { isClosing, concurrency } = this.#options;
    const lane = this.#laneOf(worker);
    if (isClosing() || this.#running >= concurrency || !lane.lane.lend()) return undefined;
    return lane.placeIn(COUNTED_ELSEWHERE);
  }

  /** Whether attempts of graphs of this process wait for a place of this worker, or for any, where those are limited over all. */
  isShort(worker: string): boolean {
    if ((this.#lanes.get(worker)?.lane.waiting ?? 0) > 0) return true;
    return this.#running >= this.#options.concurrency && this.#first() !== undefined;
  }

  /** A place that another process lends: what is next of this worker runs there, if there is any that has no place here. */
  lent(worker: string, hand: Hand): void {
    const lane = this.#lanes.get(worker);
    if (lane) lane.lent(hand);
    else hand.end();
  }

  /** Whether other processes are to run what waits here. */
  isSpreading(): boolean {
    return [...this.#lanes.values()].some(({ spreader }) => spreader?.isSpread === true);
  }

  /** An attempt of this worker has ended that ran here and waited for nothing. @param heldMs how long it held up the loop. */
  measured(worker: string, lengthMs: number, heldMs: number): void {
    this.#lanes.get(worker)?.spreader?.ended(lengthMs, heldMs);
  }

  lanes(): LaneReport[] {
    return [...this.#lanes.values()].map((lane) => lane.report());
  }

  /** Starts no node of this worker until it is resumed. */
  pause(worker: string): void {
    this.#paused.add(worker);
    const known = this.#lanes.get(worker);
    if (known) known.lane.isPaused = true;
  }

  resume(worker: string): void {
    this.#paused.delete(worker);
    const known = this.#lanes.get(worker);
    if (!known) return;
    known.lane.isPaused = false;
    this.#fill(known);
  }

  #laneOf(worker: Worker<never, unknown>): WorkerLane {
    const known = this.#lanes.get(worker.name);
    if (known) return known;
    const lane = new WorkerLane(worker, this.#owner, this.#options.isElsewhere(worker));
    lane.lane.isPaused = this.#paused.has(worker.name);
    this.#lanes.set(worker.name, lane);
    return lane;
  }

  /** Not when it was paused, cancelled or reloaded in the meantime. */
  #isWanted(seat: AnySeat): boolean {
    if (!seat.isStart) return seat.isWanted();
    const { live, nodeId } = seat;
    return (
      isItsSeat(seat) &&
      live.machine.node(nodeId)?.status === "ready" &&
      live.machine.row.phase === "running" &&
      this.#options.isLive(live)
    );
  }

  /** Gives away what room there is. @param lane where there is some; with a limit over all, every lane may have its turn. */
  #fill(lane: WorkerLane): void {
    const { concurrency, isClosing } = this.#options;
    while (!isClosing() && this.#running < concurrency) {
      const first = concurrency === Infinity ? lane : this.#first();
      const seat = first?.lane.take();
      if (!first || !seat) return;
      first.goOn(seat);
    }
  }

  /** The lane whose next has the best place. Lanes are as many as workers: few. */
  #first(): WorkerLane | undefined {
    let first: { lane: WorkerLane; order: number } | undefined;
    for (const lane of this.#lanes.values()) {
      const order = lane.lane.next()?.order;
      if (order !== undefined && (!first || order < first.order)) first = { lane, order };
    }
    return first?.lane;
  }

  #start(lane: WorkerLane, seat: NodeSeat, permit?: string, hand?: Hand): void {
    const { live, keys, nodeId, fault } = seat;
    unseat(seat);
    const node = live.machine.node(nodeId) as NodeRow;
    const unit = live.machine.nodeStarted(node, this.#options.clock.now());
    if (!hand) lane.spreader?.started();
    const place = lane.placeIn(keys, permit, hand !== undefined);
    this.#options.start(live, unit, this.#claimOf(live, node, place, fault, hand));
  }

  #claimOf(live: LiveGraph, node: NodeRow, place: Place, fault: string | undefined, hand?: Hand): Claim {
    return { live, place, node, attempt: node.attempt, epoch: live.machine.row.epoch, fault, hand };
  }
}
