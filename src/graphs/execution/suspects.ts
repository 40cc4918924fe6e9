/**
 * Nodes that were running in several crashes of the process run one at a time: then the next crash names the one that causes it. Without
 * this, the neighbours of such a node would be given up with it.
 */
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import { isSuspect } from "../machine/recovery.ts";
import type { ActiveRun } from "./active-run.ts";

export interface Suspect {
  readonly run: ActiveRun;
  readonly node: NodeRow;
}

export class Suspects {
  #current: Suspect | undefined;
  /** By run and node, in their order. A reloaded run replaces its entries. */
  readonly #waiting = new Map<string, Suspect>();

  /** Whether a ready node may start now. Otherwise it waits for `next`. */
  admit(run: ActiveRun, node: NodeRow): boolean {
    if (!isSuspect(node)) return true;
    const suspect = { run, node };
    this.#waiting.delete(keyOf(suspect));
    if (this.#current && isActive(this.#current) && keyOf(this.#current) !== keyOf(suspect)) {
      this.#waiting.set(keyOf(suspect), suspect);
      return false;
    }
    this.#current = suspect;
    return true;
  }

  /** The next suspect, once the current one has ended or waits; undefined if none may start. */
  next(): Suspect | undefined {
    if (this.#waiting.size === 0 || (this.#current && isActive(this.#current))) return undefined;
    for (const [key, suspect] of this.#waiting) {
      this.#waiting.delete(key);
      if (!isActive(suspect)) continue;
      this.#current = suspect;
      return suspect;
    }
    return undefined;
  }
}

/** Whether it runs, or is about to run. */
function isActive({ run, node }: Suspect): boolean {
  const { isActive: isLoaded, machine } = run;
  if (!isLoaded || machine.node(node.id) !== node || !isSuspect(node)) return false;
  return node.status === "running" || (node.status === "ready" && machine.row.phase === "running");
}

function keyOf({ run, node }: Suspect): string {
  return `${run.id} ${node.id}`;
}
