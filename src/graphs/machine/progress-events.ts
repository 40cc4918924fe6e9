/** Reports of workers: logs, events, progress and a summary. They do not affect execution. */
import type { Json } from "../../platform/shared/json.ts";
import { hasEnded, type GraphRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import { Change, type LastEvent } from "./transition-builder.ts";
import type { Lifecycle } from "./run-lifecycle.ts";

/** Progress and summary of the run. */
export interface Said {
  progress?: NonNullable<GraphRow["progress"]>;
  /** Empty: the summary is removed. */
  summary?: string;
}

/** Limit for a run. Later reports are dropped, so that a worker that logs in a loop does not fill the disk. */
const MAX_EVENTS = 100_000;
const MUTE = `The run has ${MAX_EVENTS} events. Further logs and events of its workers are dropped.`;

export class ProgressEvents {
  readonly #row: GraphRow;
  readonly #lifecycle: Lifecycle;
  readonly #last: LastEvent;
  /** Whether the limit has been reached. */
  #isMute = false;

  constructor(row: GraphRow, lifecycle: Lifecycle, last: LastEvent) {
    this.#row = row;
    this.#lifecycle = lifecycle;
    this.#last = last;
  }

  /** Adds a report. @returns undefined once the run has ended: nothing follows its last event. */
  reported(
    type: "log" | "custom" | "node.discarded",
    node: string,
    data: Json | undefined,
    nowMs: number,
  ): Transition | undefined {
    if (hasEnded(this.#row) || this.#isMute) return undefined;
    const change = new Change(this.#row, nowMs, this.#last);
    this.#isMute = this.#last.seq >= MAX_EVENTS;
    if (this.#isMute) change.event("log", node, { level: "warn", message: MUTE });
    else change.event(type, node, data);
    return change.transition;
  }

  /** Adds progress or a summary. @returns undefined once the run has ended, or if nothing changes */
  progressed({ progress, summary }: Said, nowMs: number): Transition | undefined {
    if (hasEnded(this.#row)) return undefined;
    const change = new Change(this.#row, nowMs, this.#last);
    // Above the limit, only the row has the last value.
    const isMute = this.#last.seq >= MAX_EVENTS;
    const known = this.#row.progress;
    if (progress && (progress.value !== known?.value || progress.note !== known.note)) {
      this.#lifecycle.set(change, { progress });
      if (!isMute) change.event("progress", undefined, { ...progress });
    }
    if (summary !== undefined && summary !== (this.#row.summary ?? "")) {
      this.#lifecycle.set(change, { summary: summary || undefined });
      if (!isMute) change.event("summary", undefined, { text: summary });
    }
    return change.isEmpty ? undefined : change.transition;
  }
}
