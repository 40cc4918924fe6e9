/**
 * The lane of one worker (task-queue.ts) as the dispatcher sees it: who sits in it, what its places come to, permits beside them where limits hold
 * over all processes, and places that others lend. Whose turn it is among workers is dispatcher.ts's.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import type { NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { Worker } from "../../definition/definition-types.ts";
import type { LaneReport } from "../../machine/report-types.ts";
import type { Elsewhere, Hand } from "../remote/remote-attempts.ts";
import { COUNTED_ELSEWHERE, Lane, orderOf, PLACES_ELSEWHERE, type Keys, type Seat } from "./task-queue.ts";
import type { LiveGraph } from "../live-run.ts";
import { sharedLimits, type Permits, type SharedLimits } from "./permit-types.ts";
import { Place } from "./slot.ts";
import { Spreader } from "./work-sharing.ts";

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
  readonly elsewhere: Elsewhere | undefined;
  /** Whether nothing new may start. */
  isClosing: () => boolean;
  /** Whether what a seat is for is still to be done. */
  isWanted: (seat: AnySeat) => boolean;
  /** So many more have a place of this process. */
  count: (more: 1 | -1) => void;
  /** Told as a place is taken and given back, another process's too. */
  onPlace: (isHeld: boolean) => void;
  /** There may be room. */
  onRoom: (lane: WorkerLane) => void;
  /** A seat that waited has a place, and the permit that it needs. @param hand where the place is another process's. */
  goOn: (lane: WorkerLane, seat: AnySeat, permit?: string, hand?: Hand) => void;
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
  /** Where others may lend places. */
  readonly spreader: Spreader | undefined;
  readonly #owner: LaneOwner;
  /** The worker's, beside that of the graph's start. */
  readonly #priority: number;
  /** Seats that have a place, and wait for a permit. */
  #asking = 0;
  /** Those that run in places of other processes. */
  #away = 0;

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
    this.spreader = isElsewhere ? undefined : this.#spreader();
  }

  /** Undefined for what never runs in a place of another process. */
  #spreader(): Spreader | undefined {
    const { elsewhere, clock } = this.#owner;
    const { name, graph, options } = this.worker;
    const { spread = "auto" } = options;
    if (!elsewhere || graph || spread === "never") return undefined;
    const { lane } = this;
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
        // Where some that have a place here wait for a permit already, another place would be of no use.
        mayLeave: () => this.#asking === 0 && lane.next(true) !== undefined,
        limitTo: (limit) => {
          if (lane.limitTo(limit)) this.#owner.onRoom(this);
        },
      },
    });
  }

  report(): LaneReport {
    const { lane, worker } = this;
    const since = lane.heads().flatMap((seat) => (seat.isStart && this.#owner.isWanted(seat) ? [seat.sinceMs] : []));
    const [running, waiting] = [lane.running + this.#away - this.#asking, lane.waiting + this.#asking];
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
    this.spreader?.waits();
  }

  /** What goes on waits for its turn. @param order where it stands: as what comes now, unless it says otherwise. */
  waitToGoOn(
    seat: Omit<ReturnSeat, "order" | "seq" | "isStart">,
    order = orderOf(this.#owner.clock.now(), this.#priority),
  ): void {
    this.lane.wait({ ...seat, order, seq: this.lane.nextSeq(), isStart: false });
    this.#owner.onRoom(this);
  }

  /** A place that another process lends: what is next of this worker runs there, if there is any that has no place here. */
  lent(hand: Hand): void {
    if (hand.isGone) return;
    const hasRoom = this.spreader !== undefined && this.#away < PLACES_ELSEWHERE && !this.#owner.isClosing();
    const seat = hasRoom ? this.lane.take(true) : undefined;
    if (seat) this.goOn(seat, hand);
    else hand.end();
  }

  /** A seat that has a place goes on, once it has the permit that it needs. @param hand where the place is another process's. */
  goOn(seat: AnySeat, hand?: Hand): void {
    if (this.limits && !(!seat.isStart && seat.hasPermit)) void this.#askFor(seat, this.limits, hand);
    else this.#owner.goOn(this, seat, undefined, hand);
  }

  /** It keeps its place here while it waits for the other processes. */
  async #askFor(seat: AnySeat, limits: SharedLimits, hand?: Hand): Promise<void> {
    const { lane } = this;
    const { permits, isClosing, isWanted: isSeatWanted, goOn, onRoom } = this.#owner;
    const isWanted = (): boolean =>
      !isClosing() && hand?.isGone !== true && isSeatWanted(seat) && !(lane.isPaused && seat.isStart);
    const { concurrency: key, rate: rateKey } = seat.keys;
    this.#asking++;
    this.#count(1, hand !== undefined);
    const want = { worker: this.worker.name, limits, key, rateKey, isStart: seat.isStart, isWanted };
    const answer = await (permits as Permits).take(want);
    this.#asking--;
    this.#count(-1, hand !== undefined);
    if (answer.kind === "granted" && isWanted()) return goOn(this, seat, answer.permit, hand);
    if (answer.kind === "granted" && answer.permit !== undefined) permits?.giveBack(answer.permit);
    lane.leave(seat.keys, hand !== undefined);
    if (answer.kind === "refused") lane.shut(seat.keys, answer.waitMs);
    // Of a queue that was paused meanwhile, too; what nobody wants any more is dropped when its turn comes.
    if (!isClosing()) lane.wait(seat);
    if (hand) this.lent(hand);
    onRoom(this);
  }

  /** A place that the lane has just given. @param given its permit. @param isLent whether it is another process's, until it is given back. */
  placeIn(keys: Keys, given?: string, isLent = false): Place {
    const { lane } = this;
    const { permits, onPlace, onRoom } = this.#owner;
    let permit = given;
    let isAway = isLent;
    this.#count(1, isAway);
    onPlace(true);
    const free = (): void => {
      if (permit !== undefined) permits?.giveBack(permit);
      permit = undefined;
      lane.leave(keys, isAway);
      this.#count(-1, isAway);
      isAway = false;
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
        this.#count(1, false);
        onPlace(true);
        goOn();
      };
      this.waitToGoOn({ keys, isWanted, hasPermit, goOn: take }, order);
    };
    return new Place({ free, takeAgain });
  }

  #count(more: 1 | -1, isAway: boolean): void {
    if (isAway) this.#away += more;
    else this.#owner.count(more);
  }
}
