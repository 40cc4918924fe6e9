/**
 * Which ready node runs now and which waits: a lane for each worker (lane.ts), and one limit over all of them. Where there
 * is room a node is marked running in the very unit that makes it ready; otherwise when its turn comes.
 */
import type { Clock } from "../../shared/clock.ts";
import type { NodeRow } from "../../store/graph-rows.ts";
import type { Unit } from "../../store/unit.ts";
import type { Elsewhere, Hand } from "./elsewhere.ts";
import { COUNTED_ELSEWHERE, Lane, NO_KEYS, orderOf, PLACES_ELSEWHERE, type Keys, type Seat } from "./lane.ts";
import type { LiveGraph } from "./live.ts";
import { keysOf } from "./node-input.ts";
import { sharedLimits, type Permits, type SharedLimits } from "./permit-types.ts";
import { Place } from "./place.ts";
import { Spreader } from "./spreader.ts";
import type { LaneReport } from "../machine/report-types.ts";
import type { Worker } from "../definition/definition-types.ts";

/** A node that is ready. */
interface NodeSeat extends Seat {
  readonly isStart: true;
  readonly live: LiveGraph;
  readonly nodeId: string;
  readonly fault: string | undefined;
  readonly sinceMs: number;
}

/** An attempt that goes on after it has given its place away for a while. */
interface ReturnSeat extends Seat {
  readonly isStart: false;
  readonly isWanted: () => boolean;
  /** Whoever asks for it has a permit. */
  readonly hasPermit?: boolean;
  /** @param permit where its worker needs one. */
  readonly goOn: (permit: string | undefined) => void;
}

type AnySeat = NodeSeat | ReturnSeat;

interface WorkerLane {
  readonly lane: Lane<AnySeat>;
  /** The worker's, beside that of the graph's start. */
  readonly priority: number;
  readonly worker: Worker<never, unknown>;
  /** Those that hold over all processes. */
  readonly limits: SharedLimits | undefined;
  /** Seats that have a place, and wait for a permit. */
  asking: number;
  /** Those that run in places of other processes. */
  away: number;
  /** Where others may lend places. */
  readonly spreader: Spreader | undefined;
}

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
  start: (live: LiveGraph, unit: Unit, claim: Claim) => void;
  /** Where several processes share the store. */
  permits: Permits | undefined;
  /** Whether another process runs it: then places are that one's. */
  isElsewhere: (worker: Worker<never, unknown>) => boolean;
  /** Where several processes share the store. */
  elsewhere: Elsewhere | undefined;
  /** Told as a place is taken and given back. */
  onPlace: (isHeld: boolean) => void;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes = new Map<string, WorkerLane>();
  readonly #paused = new Set<string>();
  #running = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Marks what became ready as running in the same unit, where its lane has room; the rest waits for its turn. */
  claim(live: LiveGraph, unit: Unit): Claim[] {
    const { clock, concurrency, isClosing } = this.#options;
    if (isClosing()) return [];
    const claims: Claim[] = [];
    for (const node of live.machine.takeReady()) {
      const lane = this.#laneOf(live.machine.definitionOf(node.id).worker);
      const { keys, fault } = keysOf(live.machine, node, lane.worker.options);
      if (!lane.limits && this.#running < concurrency && lane.lane.enter(keys)) {
        live.machine.nodeStarted(node, clock.now(), unit);
        lane.spreader?.started();
        claims.push(this.#claimOf(live, node, this.#placeIn(lane, keys), fault));
      } else this.#wait(live, lane, keys, node, fault);
      if (lane.limits) this.#fill(lane);
    }
    return claims;
  }

  /** Runs what the store has as ready already. */
  dispatch(live: LiveGraph): void {
    if (this.#options.isClosing()) return;
    const touched = new Set<WorkerLane>();
    for (const node of live.machine.takeReady()) {
      const lane = this.#laneOf(live.machine.definitionOf(node.id).worker);
      const { keys, fault } = keysOf(live.machine, node, lane.worker.options);
      this.#wait(live, lane, keys, node, fault);
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
    const order = orderOf(this.#options.clock.now(), lane.priority);
    const keys = hasPermit ? COUNTED_ELSEWHERE : NO_KEYS;
    lane.lane.wait({
      order,
      seq: lane.lane.nextSeq(),
      keys,
      isStart: false,
      isWanted,
      hasPermit,
      goOn: (permit) => goOn(this.#placeIn(lane, keys, permit)),
    });
    this.#fill(lane);
  }

  /** A place for nodes of a graph of another process's, counted there. @returns undefined where there is none to spare. */
  lend(worker: Worker<never, unknown>): Place | undefined {
    const { isClosing, concurrency } = this.#options;
    const lane = this.#laneOf(worker);
    if (isClosing() || this.#running >= concurrency || !lane.lane.lend()) return undefined;
    return this.#placeIn(lane, COUNTED_ELSEWHERE);
  }

  /** Whether attempts of graphs of this process wait for a place of this worker, or for any, where those are limited over all. */
  isShort(worker: string): boolean {
    if ((this.#lanes.get(worker)?.lane.waiting ?? 0) > 0) return true;
    return this.#running >= this.#options.concurrency && this.#first() !== undefined;
  }

  /** A place that another process lends: what is next of this worker runs there, if there is any that has no place here. */
  lent(worker: string, hand: Hand): void {
    if (hand.isGone) return;
    const lane = this.#lanes.get(worker);
    const hasRoom = lane?.spreader !== undefined && lane.away < PLACES_ELSEWHERE && !this.#options.isClosing();
    const seat = hasRoom ? lane.lane.take(true) : undefined;
    if (!lane || !seat) return hand.end();
    if (lane.limits) void this.#askFor(lane, seat, lane.limits, hand);
    else this.#goOn(lane, seat, undefined, hand);
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
    return [...this.#lanes].map(([worker, { lane, asking, away }]) => {
      const since = lane.heads().flatMap((seat) => (seat.isStart && this.#isWanted(seat) ? [seat.sinceMs] : []));
      const [running, waiting] = [lane.running + away - asking, lane.waiting + asking];
      return { worker, running, waiting, ...(since.length > 0 && { sinceMs: Math.min(...since) }) };
    });
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
    const { options } = worker;
    const { permits, clock } = this.#options;
    const limits = permits && sharedLimits(options);
    const seats = new Lane<AnySeat>({
      options,
      clock,
      isShared: limits !== undefined,
      isElsewhere: this.#options.isElsewhere(worker),
      isWanted: (seat) => this.#isWanted(seat),
      onOpen: () => this.#fill(lane),
    });
    const lane: WorkerLane = {
      worker,
      limits,
      asking: 0,
      away: 0,
      priority: options.priority ?? 0,
      lane: seats,
      spreader: this.#spreaderOf(
        worker,
        seats,
        () => lane.asking > 0,
        () => this.#fill(lane),
      ),
    };
    lane.lane.isPaused = this.#paused.has(worker.name);
    this.#lanes.set(worker.name, lane);
    return lane;
  }

  /**
   * Undefined for what never runs in a place of another process.
   * @param asks whether some that have a place here wait for a permit already: another place would be of no use.
   * @param onRoom told when there are more places here than there were.
   */
  #spreaderOf(
    worker: Worker<never, unknown>,
    lane: Lane<AnySeat>,
    asks: () => boolean,
    onRoom: () => void,
  ): Spreader | undefined {
    const { elsewhere, isElsewhere, clock } = this.#options;
    const { name, graph, options } = worker;
    const { spread = "auto" } = options;
    if (!elsewhere || graph || spread === "never" || isElsewhere(worker)) return undefined;
    const mayLeave = (): boolean => !asks() && lane.next(true) !== undefined;
    const { places } = lane;
    return new Spreader({
      worker: name,
      spread,
      clock,
      elsewhere,
      lane: {
        places,
        get waiting() {
          return lane.waiting;
        },
        mayLeave,
        limitTo: (limit) => {
          if (lane.limitTo(limit)) onRoom();
        },
      },
    });
  }

  /** Not when queued twice, or paused, cancelled or reloaded in the meantime. */
  #isWanted(seat: AnySeat): boolean {
    if (!seat.isStart) return seat.isWanted();
    const { live, nodeId } = seat;
    return (
      live.machine.node(nodeId)?.status === "ready" &&
      live.machine.row.phase === "running" &&
      this.#options.isLive(live)
    );
  }

  #wait(live: LiveGraph, lane: WorkerLane, keys: Keys, node: NodeRow, fault: string | undefined): void {
    const sinceMs = this.#options.clock.now();
    const order = orderOf(sinceMs, lane.priority + live.machine.row.priority);
    lane.lane.wait({ order, seq: lane.lane.nextSeq(), keys, isStart: true, live, nodeId: node.id, fault, sinceMs });
    lane.spreader?.waits();
  }

  /** Gives away what room there is. @param lane where there is some; with a limit over all, every lane may have its turn. */
  #fill(lane: WorkerLane): void {
    const { concurrency, isClosing } = this.#options;
    while (!isClosing() && this.#running < concurrency) {
      const first = concurrency === Infinity ? lane : this.#first();
      const seat = first?.lane.take();
      if (!first || !seat) return;
      if (first.limits && !(!seat.isStart && seat.hasPermit)) void this.#askFor(first, seat, first.limits);
      else this.#goOn(first, seat);
    }
  }

  /** A seat that has a place in its lane. @param permit where it needs one. @param hand where the place is another process's. */
  #goOn(lane: WorkerLane, seat: AnySeat, permit?: string, hand?: Hand): void {
    if (seat.isStart) this.#start(lane, seat, permit, hand);
    else seat.goOn(permit);
  }

  /** It keeps its place here while it waits for the other processes. */
  async #askFor(lane: WorkerLane, seat: AnySeat, limits: SharedLimits, hand?: Hand): Promise<void> {
    const { permits, isClosing } = this.#options;
    const isWanted = (): boolean =>
      !isClosing() && hand?.isGone !== true && this.#isWanted(seat) && !(lane.lane.isPaused && seat.isStart);
    const { concurrency: key, rate: rateKey } = seat.keys;
    lane.asking++;
    if (hand) lane.away++;
    else this.#running++;
    const want = { worker: lane.worker.name, limits, key, rateKey, isStart: seat.isStart, isWanted };
    const answer = await (permits as Permits).take(want);
    lane.asking--;
    if (hand) lane.away--;
    else this.#running--;
    if (answer.kind === "granted" && isWanted()) return this.#goOn(lane, seat, answer.permit, hand);
    if (answer.kind === "granted" && answer.permit !== undefined) permits?.giveBack(answer.permit);
    lane.lane.leave(seat.keys, hand !== undefined);
    if (answer.kind === "refused") lane.lane.shut(seat.keys, answer.waitMs);
    // Of a queue that was paused meanwhile, too; what nobody wants any more is dropped when its turn comes.
    if (!isClosing()) lane.lane.wait(seat);
    if (hand) this.lent(lane.worker.name, hand);
    this.#fill(lane);
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

  #start(lane: WorkerLane, { live, keys, nodeId, fault }: NodeSeat, permit?: string, hand?: Hand): void {
    const node = live.machine.node(nodeId) as NodeRow;
    const unit = live.machine.nodeStarted(node, this.#options.clock.now());
    if (!hand) lane.spreader?.started();
    const place = this.#placeIn(lane, keys, permit, hand !== undefined);
    this.#options.start(live, unit, this.#claimOf(live, node, place, fault, hand));
  }

  #claimOf(live: LiveGraph, node: NodeRow, place: Place, fault: string | undefined, hand?: Hand): Claim {
    return { live, place, node, attempt: node.attempt, epoch: live.machine.row.epoch, fault, hand };
  }

  /** A place that the lane has just given. @param given its permit. @param isLent whether it is another process's, until it is given back. */
  #placeIn(lane: WorkerLane, keys: Keys, given?: string, isLent = false): Place {
    let permit = given;
    let isAway = isLent;
    if (isAway) lane.away++;
    this.#taken(isAway);
    const free = (): void => {
      if (permit !== undefined) this.#options.permits?.giveBack(permit);
      permit = undefined;
      lane.lane.leave(keys, isAway);
      if (isAway) lane.away--;
      else this.#running--;
      isAway = false;
      this.#fill(lane);
      this.#options.onPlace(false);
    };
    const takeAgain = (goOn: () => void, isWanted: () => boolean): void => {
      // Before those that are yet to begin: what it holds is let go the sooner.
      const order = Number.NEGATIVE_INFINITY;
      const take = (another: string | undefined): void => {
        permit = another;
        this.#taken();
        goOn();
      };
      // Whoever counts what runs here for its graph has taken its permit anew before it said that the wait is over.
      const hasPermit = keys === COUNTED_ELSEWHERE;
      lane.lane.wait({ order, seq: lane.lane.nextSeq(), keys, isStart: false, isWanted, hasPermit, goOn: take });
      this.#fill(lane);
    };
    return new Place({ free, takeAgain });
  }

  #taken(isAway = false): void {
    if (!isAway) this.#running++;
    this.#options.onPlace(true);
  }
}
