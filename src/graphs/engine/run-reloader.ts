/**
 * Graphs that are read again, since nobody knows what a commit of theirs has come to: the store has failed, or another process has the
 * graph by now. What is stored is gone on with; what is stored as ended is told of, for whoever committed that could not (decision 060).
 */
import type { Clock } from "../../platform/shared/clock.ts";
import { hasEnded, type GraphRow, type StoredGraph } from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { FaultLog } from "./fault-log.ts";
import type { Fleet } from "./cluster-port.ts";

/** How long to wait before a graph whose commit failed is read again. */
const DELAY_MS = 1000;

export interface RereadsOptions {
  graphs: GraphStore;
  clock: Clock;
  faults: FaultLog;
  fleet: Fleet | undefined;
  /** Whether nothing new begins. */
  isClosing: () => boolean;
  /** Whether it is under way already. */
  isLive: (graphId: string) => boolean;
  /** Goes on with it. */
  recover: (stored: StoredGraph, lease: number | undefined) => Promise<void>;
  /** It has ended. */
  onEnd: (row: GraphRow) => void;
}

export class Rereads {
  readonly #options: RereadsOptions;

  constructor(options: RereadsOptions) {
    this.#options = options;
  }

  /** Reads it in a moment, and after a fault again. @param lease under which this process held it. */
  later(id: string, lease: number | undefined): void {
    const { clock, faults, isClosing, isLive } = this.#options;
    clock.schedule(DELAY_MS, () => {
      if (isClosing() || isLive(id)) return;
      this.#read(id, lease).catch((error: unknown) => {
        faults.failed(id, error, `The graph ${id} could not be read. It is tried again.`);
        this.later(id, lease);
      });
    });
  }

  async #read(id: string, lease: number | undefined): Promise<void> {
    const { fleet, graphs, isClosing, recover, onEnd } = this.#options;
    // Who runs nothing holds graphs for others' wishes alone: what it holds nevertheless is given back (cluster.ts).
    if (fleet?.isRunner === false) return fleet.left(id);
    // The commit may have failed because it is another's by now.
    const isHeld = !fleet || (lease !== undefined && (await fleet.confirms(id, lease)));
    const [stored] = await graphs.load([id]);
    const isOver = stored !== undefined && hasEnded(stored.row);
    // It was its last commit, and is written after all: nobody was told.
    if (isOver) onEnd(stored.row);
    if (isOver || !isHeld) return fleet?.left(id);
    if (stored && !isClosing()) await recover(stored, lease);
  }
}
