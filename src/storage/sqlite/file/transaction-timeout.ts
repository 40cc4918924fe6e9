/** Timeout of a transaction that waits for its own statements. Nobody else writes meanwhile. */
import { SvcError } from "../../../platform/shared/errors.ts";

const LONGEST_MS = 10_000;

/** @param work its signal aborts at the timeout. @throws SvcError `SVC_STORE` then, and errors of the work */
export async function withTransactionTimeout(work: (over: AbortSignal) => unknown): Promise<unknown> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    const message = `A transaction was open for ${LONGEST_MS} ms, and was rolled back: nobody else can write meanwhile. Await nothing but its statements in it`;
    timer = setTimeout(() => {
      over.abort(new SvcError("SVC_STORE", message));
      fail(over.signal.reason);
    }, LONGEST_MS);
  });
  try {
    return await Promise.race([work(over.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
