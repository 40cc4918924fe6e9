/**
 * How a thread finds its worker: it loads the module, and every declared worker is reported here. By a global name, because the module
 * may load its own copy of svc.
 */
import type { Worker } from "./definition-types.ts";

type Listener = (worker: Worker<never, unknown>) => void;

const KEY = Symbol.for("svc.graph.declared");
const place = globalThis as { [KEY]?: Listener };

/** Reports a declared worker. */
export function reportDeclared(worker: Worker<never, unknown>): void {
  place[KEY]?.(worker);
}

/** Calls the listener for every worker that is declared from now on in this thread. */
export function onDeclared(listener: Listener): void {
  place[KEY] = listener;
}
