/**
 * Which ready node runs now and which waits: a lane for each worker (worker-lane.ts), and one limit over all of them. Where there
 * is room a node is marked running in the very unit that makes it ready; otherwise when its turn comes.
 */
import type { Clock } from "../../shared/clock.ts";
import type { NodeRow } from "../../store/graph-rows.ts";
import type { Unit } from "../../store/unit.ts";
import { COUNTED_ELSEWHERE, NO_KEYS } from "./lane.ts";
import type { LiveGraph } from "./live.ts";
import { keysOf } from "./node-input.ts";
import type { Permits } from "./permit-types.ts";
import type { Place } from "./place.ts";
import { isItsSeat, isSeated, unseat, WorkerLane, type AnySeat, type LaneOwner, type NodeSeat } from "./worker-lane.ts";
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
  start: (live: LiveGraph, unit: Unit, claim: Claim) => void;
  /** Where several processes share the store. */
  permits: Permits | undefined;
  /** Whether another process runs it: then places are that one's. */
  isElsewhere: (worker: Worker<never, unknown>) => boolean;
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
    const { clock, permits, isClosing, onPlace } = options;
    this.#owner = {
      clock,
      permits,
      isClosing,
      onPlace,
      isWanted: (seat) => this.#isWanted(seat),
      count: (more) => void (this.#running += more),
      onRoom: (lane) => this.#fill(lane),
      goOn: (lane, seat, permit) => {
        if (seat.isStart) this.#start(lane, seat, permit);
        else seat.goOn(permit);
      },
    };
  }

  /** Marks what became ready as running in the same unit, where its lane has room; the rest waits for its turn. */
  claim(live: LiveGraph, unit: Unit): Claim[] {
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

  #start(lane: WorkerLane, seat: NodeSeat, permit?: string): void {
    const { live, keys, nodeId, fault } = seat;
    unseat(seat);
    const node = live.machine.node(nodeId) as NodeRow;
    const unit = live.machine.nodeStarted(node, this.#options.clock.now());
    const place = lane.placeIn(keys, permit);
    this.#options.start(live, unit, this.#claimOf(live, node, place, fault));
  }

  #claimOf(live: LiveGraph, node: NodeRow, place: Place, fault: string | undefined): Claim {
    return { live, place, node, attempt: node.attempt, epoch: live.machine.row.epoch, fault };
  }
}
