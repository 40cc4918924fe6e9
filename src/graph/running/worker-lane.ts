/**
 * The lane of one worker (lane.ts) as the dispatcher sees it: who sits in it, what its places come to, and permits beside them where limits
 * hold over all processes. Whose turn it is among workers is dispatcher.ts's.
 */
import type { Clock } from "../../shared/clock.ts";
import type { NodeRow } from "../../store/graph-rows.ts";
import type { Worker } from "../definition/definition-types.ts";
import type { LaneReport } from "../machine/report-types.ts";
import { COUNTED_ELSEWHERE, Lane, orderOf, type Keys, type Seat } from "./lane.ts";
import type { LiveGraph } from "./live.ts";
import { sharedLimits, type Permits, type SharedLimits } from "./permit-types.ts";
import { Place } from "./place.ts";

/** A node that is ready. */
export interface NodeSeat extends Seat {
  readonly isStart: true;
  readonly live: LiveGraph;
  readonly nodeId: string;
  readonly epoch: number;
  readonly fault: string | undefined;
  readonly sinceMs: number;
}

/** An attempt that goes on after it has given its place away for a while. */
export interface ReturnSeat extends Seat {
  readonly isStart: false;
  readonly isWanted: () => boolean;
  /** Whoever asks for it has a permit. */
  readonly hasPermit: boolean;
  /** @param permit where its worker needs one. */
  readonly goOn: (permit: string | undefined) => void;
}

export type AnySeat = NodeSeat | ReturnSeat;

/** Who gives the places of all lanes. */
export interface LaneOwner {
  readonly clock: Clock;
  /** Where several processes share the store. */
  readonly permits: Permits | undefined;
  /** Whether nothing new may start. */
  isClosing: () => boolean;
  /** Whether what a seat is for is still to be done. */
  isWanted: (seat: AnySeat) => boolean;
  /** So many more have a place of this process. */
  count: (more: 1 | -1) => void;
  /** Told as a place is taken and given back. */
  onPlace: (isHeld: boolean) => void;
  /** There may be room. */
  onRoom: (lane: WorkerLane) => void;
  /** A seat that waited has a place, and the permit that it needs. */
  goOn: (lane: WorkerLane, seat: AnySeat, permit?: string) => void;
}

/** Whether a node that is ready waits for its turn already. */
export function isSeated({ seats, machine }: LiveGraph, { id }: NodeRow): boolean {
  return seats.get(id)?.epoch === machine.row.epoch;
}

/** It waits no more. */
export function unseat(seat: AnySeat): void {
  if (seat.isStart && isItsSeat(seat)) seat.live.seats.delete(seat.nodeId);
}

/** Not where its node has taken another in a later epoch. */
export function isItsSeat(seat: NodeSeat): boolean {
  return seat.live.seats.get(seat.nodeId) === seat;
}

export class WorkerLane {
  readonly worker: Worker<never, unknown>;
  readonly lane: Lane<AnySeat>;
  /** Those that hold over all processes. */
  readonly limits: SharedLimits | undefined;
  readonly #owner: LaneOwner;
  /** The worker's, beside that of the graph's start. */
  readonly #priority: number;
  /** Seats that have a place, and wait for a permit. */
  #asking = 0;

  /** @param isElsewhere whether another process runs it: then places are that one's. */
  constructor(worker: Worker<never, unknown>, owner: LaneOwner, isElsewhere: boolean) {
    const { clock, permits } = owner;
    const { options } = worker;
    this.worker = worker;
    this.#owner = owner;
    this.#priority = options.priority ?? 0;
    this.limits = permits && sharedLimits(options);
    this.lane = new Lane<AnySeat>({
      options,
      clock,
      isShared: this.limits !== undefined,
      isElsewhere,
      isWanted: (seat) => owner.isWanted(seat),
      onGone: unseat,
      onOpen: () => owner.onRoom(this),
    });
  }

  report(): LaneReport {
    const { lane, worker } = this;
    const since = lane.heads().flatMap((seat) => (seat.isStart && this.#owner.isWanted(seat) ? [seat.sinceMs] : []));
    const [running, waiting] = [lane.running - this.#asking, lane.waiting + this.#asking];
    return { worker: worker.name, running, waiting, ...(since.length > 0 && { sinceMs: Math.min(...since) }) };
  }

  /** A node waits for its turn, that of its seat. */
  wait(live: LiveGraph, { id: nodeId }: NodeRow, keys: Keys, fault: string | undefined): void {
    const sinceMs = this.#owner.clock.now();
    const { priority, epoch } = live.machine.row;
    const order = orderOf(sinceMs, this.#priority + priority);
    const seat: NodeSeat = {
      order,
      seq: this.lane.nextSeq(),
      keys,
      isStart: true,
      live,
      nodeId,
      epoch,
      fault,
      sinceMs,
    };
    live.seats.set(nodeId, seat);
    this.lane.wait(seat);
  }

  /** What goes on waits for its turn. @param order where it stands: as what comes now, unless it says otherwise. */
  waitToGoOn(
    seat: Omit<ReturnSeat, "order" | "seq" | "isStart">,
    order = orderOf(this.#owner.clock.now(), this.#priority),
  ): void {
    this.lane.wait({ ...seat, order, seq: this.lane.nextSeq(), isStart: false });
    this.#owner.onRoom(this);
  }

  /** A seat that has a place goes on, once it has the permit that it needs. */
  goOn(seat: AnySeat): void {
    if (this.limits && !(!seat.isStart && seat.hasPermit)) void this.#askFor(seat, this.limits);
    else this.#owner.goOn(this, seat);
  }

  /** It keeps its place here while it waits for the other processes. */
  async #askFor(seat: AnySeat, limits: SharedLimits): Promise<void> {
    const { lane } = this;
    const { permits, isClosing, isWanted: isSeatWanted, count, goOn, onRoom } = this.#owner;
    const isWanted = (): boolean => !isClosing() && isSeatWanted(seat) && !(lane.isPaused && seat.isStart);
    const { concurrency: key, rate: rateKey } = seat.keys;
    this.#asking++;
    count(1);
    const want = { worker: this.worker.name, limits, key, rateKey, isStart: seat.isStart, isWanted };
    const answer = await (permits as Permits).take(want);
    this.#asking--;
    count(-1);
    if (answer.kind === "granted" && isWanted()) return goOn(this, seat, answer.permit);
    if (answer.kind === "granted" && answer.permit !== undefined) permits?.giveBack(answer.permit);
    lane.leave(seat.keys);
    if (answer.kind === "refused") lane.shut(seat.keys, answer.waitMs);
    // Of a queue that was paused meanwhile, too; what nobody wants any more is dropped when its turn comes.
    if (!isClosing()) lane.wait(seat);
    onRoom(this);
  }

  /** A place that the lane has just given. @param given its permit. */
  placeIn(keys: Keys, given?: string): Place {
    const { lane } = this;
    const { permits, count, onPlace, onRoom } = this.#owner;
    let permit = given;
    count(1);
    onPlace(true);
    const free = (): void => {
      if (permit !== undefined) permits?.giveBack(permit);
      permit = undefined;
      lane.leave(keys);
      count(-1);
      onRoom(this);
      onPlace(false);
    };
    const takeAgain = (goOn: () => void, isWanted: () => boolean): void => {
      // Before those that are yet to begin: what it holds is let go the sooner.
      const order = Number.NEGATIVE_INFINITY;
      // Whoever counts what runs here for its graph has taken its permit anew before it said that the wait is over.
      const hasPermit = keys === COUNTED_ELSEWHERE;
      const take = (another: string | undefined): void => {
        permit = another;
        count(1);
        onPlace(true);
        goOn();
      };
      this.waitToGoOn({ keys, isWanted, hasPermit, goOn: take }, order);
    };
    return new Place({ free, takeAgain });
  }
}
