/** Counts the progress of a bulk action: changed runs, runs that did not allow it, and their reasons. */
import type { Json } from "../../../graph.ts";

/** Maximum number of distinct reasons. */
const MOST_REASONS = 5;
const OTHERS = "another reason";
const MAX_REASON_LENGTH = 200;

export class BulkProgress {
  changed = 0;
  refused = 0;
  readonly reasons = new Map<string, number>();

  /** Number of processed runs. */
  get count(): number {
    return this.changed + this.refused;
  }

  refuse(id: string, { message }: Error): void {
    this.refused++;
    const reason = message.replaceAll(`The graph ${id}`, "it").replaceAll(id, "it").slice(0, MAX_REASON_LENGTH);
    const kept = this.reasons.has(reason) || this.reasons.size < MOST_REASONS ? reason : OTHERS;
    this.reasons.set(kept, (this.reasons.get(kept) ?? 0) + 1);
  }

  toJSON(): { changed: number; refused: number; reasons: [string, number][] } {
    const { changed, refused } = this;
    return { changed, refused, reasons: [...this.reasons] };
  }

  /** Reads the result of `toJSON`. Missing fields count as zero. */
  static read(data: Readonly<Record<string, Json | undefined>>): BulkProgress {
    const taken = new BulkProgress();
    taken.changed = countOf(data["changed"]);
    taken.refused = countOf(data["refused"]);
    const reasons = data["reasons"];
    for (const one of Array.isArray(reasons) ? reasons : [])
      if (Array.isArray(one) && typeof one[0] === "string") taken.reasons.set(one[0], countOf(one[1]));
    return taken;
  }
}

export function countOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}
