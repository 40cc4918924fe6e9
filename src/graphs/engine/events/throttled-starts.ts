/**
 * Starts of graphs with `throttle` that no event causes: each start takes the next free time of its key, in one transaction. If the process
 * dies before it has stored the run, one time stays unused.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../../platform/shared/clock.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { StartGroupRows } from "../../../storage/contract/start-groups.ts";
import type { GraphDefinition } from "../../definition/definition-types.ts";
import { ofAuthor } from "./author-code.ts";
import { keyOf } from "./start-key.ts";
import { throttledStart } from "./start-rules.ts";

export interface ThrottledStartsOptions {
  rows: Pick<StartGroupRows, "count">;
  clock: Clock;
}

export class ThrottledStarts {
  readonly #options: ThrottledStartsOptions;

  constructor(options: ThrottledStartsOptions) {
    this.#options = options;
  }

  /** Earliest start of a new run, Unix milliseconds. @returns undefined for a graph without `throttle` */
  async startMs({ name: graph, options }: GraphDefinition, input: Json): Promise<number | undefined> {
    const { throttle } = options;
    if (!throttle) return undefined;
    const { rows, clock } = this.#options;
    const key = await ofAuthor(() => keyOf(graph, options, input));
    const nowMs = clock.now();
    const event = { id: randomUUID(), name: "", sentMs: nowMs, data: null };
    let startMs = nowMs;
    await rows.count(graph, key, (open) => {
      const decided = throttledStart(throttle, { graph, key, event, nowMs, inputBytes: 0 }, open);
      ({ startMs } = decided);
      return [decided.counter];
    });
    return startMs;
  }
}
