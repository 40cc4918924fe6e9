/** `call.js`: calls of server actions with an abort signal or an idempotency key. */
import { HEADERS } from "../../../platform/shared/wire.ts";
import { sendBy } from "./act.ts";

interface CallOptions {
  signal?: AbortSignal;
  idempotencyKey?: string;
}

/** Returns the action with these options applied; see src/app/actions/call.ts. */
export const call =
  <Args extends unknown[], Result>(action: (...args: Args) => Result, { signal, idempotencyKey }: CallOptions) =>
  (...args: Args): Result => {
    const way = sendBy((path, init) => {
      const headers = init!.headers as Record<string, string>;
      if (idempotencyKey !== undefined) headers[HEADERS.idempotencyKey] = idempotencyKey;
      return way(path, { ...init, headers, signal: signal ?? null });
    });
    try {
      return action(...args);
    } finally {
      sendBy(way);
    }
  };
