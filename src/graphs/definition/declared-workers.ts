/**
 * How a thread finds the worker it is to run: it loads the module, and every worker that is declared on the way is told here.
 * By a global name, since the module may have its own copy of svc.
 */
import type { Worker } from "./definition-types.ts";

type Listener = (worker: Worker<never, unknown>) => void;

const KEY = Symbol.for("svc.graph.declared");
const place = globalThis as { [KEY]?: Listener };

/** A worker has been declared. */
export function tellDeclared(worker: Worker<never, unknown>): void {
  place[KEY]?.(worker);
}

/** Hears of every worker that is declared from now on in this thread. */
export function onDeclared(listener: Listener): void {
  place[KEY] = listener;
}
