/**
 * Which ready node runs now and which waits: a lane for each worker, as wide as its concurrency. Where a lane has room a
 * node is marked running in the very unit that makes it ready; otherwise when its turn comes.
 */
import type { Clock } from "../shared/clock.ts";
import type { NodeRow, Unit } from "../store/contract.ts";
import type { LiveGraph } from "./live.ts";
import { Place, type PlaceOwner } from "./place.ts";
import { Queue } from "./queue.ts";
import type { LaneReport, Worker } from "./types.ts";

/** A worker's attempts at once, unless its options say otherwise. */
const DEFAULT_CONCURRENCY = 16;

/** The attempts of one worker. */
export interface Lane extends PlaceOwner {
  waiting: Queue<{ live: LiveGraph; nodeId: string }>;
}

/** A place in its lane, given to one attempt of a node. */
export interface Claim {
  live: LiveGraph;
  place: Place;
  node: NodeRow;
  attempt: number;
  epoch: number;
}

export interface DispatcherOptions {
  clock: Clock;
  /** Whether nothing new may start. */
  isClosing: () => boolean;
  /** Whether the engine still goes by this mirror of its graph. */
  isLive: (live: LiveGraph) => boolean;
  /** Commits the start of a node whose turn has come, then runs it. */
  start: (live: LiveGraph, unit: Unit, claim: Claim) => void;
  /** Told as a place is taken and given back. */
  onPlace: (isHeld: boolean) => void;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Marks what became ready as running in the same unit, where its lane has room; the rest waits for its turn. */
  claim(live: LiveGraph, unit: Unit): Claim[] {
    if (this.#options.isClosing()) return [];
    const claims: Claim[] = [];
    for (const node of live.machine.takeReady()) {
      const lane = this.#laneOf(live.machine.definitionOf(node.id).worker);
      if (lane.running < lane.concurrency && lane.waiting.size === 0) {
        live.machine.nodeStarted(node, this.#options.clock.now(), unit);
        claims.push(this.#enter(lane, live, node));
      } else lane.waiting.push({ live, nodeId: node.id });
    }
    return claims;
  }

  /** Runs what the store has as ready already. */
  dispatch(live: LiveGraph): void {
    if (this.#options.isClosing()) return;
    const touched = new Set<Lane>();
    for (const node of live.machine.takeReady()) {
      const lane = this.#laneOf(live.machine.definitionOf(node.id).worker);
      lane.waiting.push({ live, nodeId: node.id });
      touched.add(lane);
    }
    for (const lane of touched) this.#fill(lane);
  }

  lanes(): LaneReport[] {
    return [...this.#lanes].map(([worker, { running, waiting }]) => ({ worker, running, waiting: waiting.size }));
  }

  #laneOf(worker: Worker<never, unknown>): Lane {
    let lane = this.#lanes.get(worker.name);
    if (!lane) {
      lane = this.#newLane(worker);
      this.#lanes.set(worker.name, lane);
    }
    return lane;
  }

  #newLane({ options: { concurrency = DEFAULT_CONCURRENCY } }: Worker<never, unknown>): Lane {
    const { onPlace } = this.#options;
    const fill = (): void => this.#fill(lane);
    const lane: Lane = { waiting: new Queue(), returning: new Queue(), running: 0, concurrency, onPlace, fill };
    return lane;
  }

  #fill(lane: Lane): void {
    while (lane.running < lane.concurrency && !this.#options.isClosing()) {
      const returning = lane.returning.shift();
      if (returning) {
        returning.admit();
        continue;
      }
      const next = lane.waiting.shift();
      if (!next) return;
      const { live, nodeId } = next;
      const node = live.machine.node(nodeId);
      // Queued twice, or paused, cancelled or reloaded in the meantime.
      if (node?.status !== "ready" || live.machine.row.phase !== "running" || !this.#options.isLive(live)) continue;
      const unit = live.machine.nodeStarted(node, this.#options.clock.now());
      this.#options.start(live, unit, this.#enter(lane, live, node));
    }
  }

  #enter(lane: Lane, live: LiveGraph, node: NodeRow): Claim {
    const place = new Place(lane);
    return { live, place, node, attempt: node.attempt, epoch: live.machine.row.epoch };
  }
}
