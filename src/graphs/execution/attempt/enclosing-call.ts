/**
 * Finds a call of a context inside the function of a step or of a transaction. Such a call would wait for a pause, which waits for the
 * step; in a transaction it would wait for the transaction.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { FinalError } from "../../definition/final-error.ts";

/** Identifies an attempt. Small, because connections that a function opens keep it. */
export type CallOwner = object;

interface EnclosingCall {
  readonly owner: CallOwner;
  /** As in the code: `ctx.step("charge")`. */
  readonly name: string;
  isRunning: boolean;
}

const enclosing = new AsyncLocalStorage<EnclosingCall | undefined>();
/** Number of functions that are running. Without any, the storage is off: before Node 24 it costs each promise some time. */
let running = 0;

/** Runs the function of a call. Calls of the same owner are rejected until it has ended. */
export function runEnclosed<Result>(owner: CallOwner, name: string, run: () => Result): Result {
  const call: EnclosingCall = { owner, name, isRunning: true };
  running++;
  const end = (): void => {
    call.isRunning = false;
    if (--running === 0) enclosing.disable();
  };
  return enclosing.run(call, () => {
    let result: Result | undefined;
    try {
      result = run();
      return result;
    } finally {
      if (result instanceof Promise) result.then(end, end);
      else end();
    }
  });
}

/** Runs a function that is part of svc: what it begins belongs to no call of the worker. */
export function runOutside<Result>(run: () => Result): Result {
  return enclosing.getStore() === undefined ? run() : enclosing.run(undefined, run);
}

/** @throws FinalError `SVC_NESTED_CALL` inside the function of a call of the same owner. */
export function requireOutside(owner: CallOwner, name: string): void {
  const call = enclosing.getStore();
  if (call?.owner !== owner || !call.isRunning) return;
  throw new FinalError(
    `${name} is called inside the function of ${call.name}. Call it before or after, or start a run of its own with engine.start.`,
    { code: "SVC_NESTED_CALL" },
  );
}

/** @param key if the call has one. */
export function callName(method: string, key: unknown): string {
  return typeof key === "string" ? `ctx.${method}("${key}")` : `ctx.${method}`;
}
