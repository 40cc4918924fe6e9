/** Who uses a tool: a worker's context is one, so is a request's. Tools end with it and tell it what they do. */
import type { Json } from "../platform/shared/json.ts";

export interface Caller {
  /** What is under way is given up when it aborts. */
  readonly signal?: AbortSignal;
  /** Told of what happens, by name; in a worker each is an event of the graph. */
  emit?(name: string, data?: Json): void;
}
