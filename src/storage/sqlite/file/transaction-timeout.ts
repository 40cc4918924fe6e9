/** Timeout of a transaction that waits for its own statements. Nobody else writes meanwhile. */
import { SvcError } from "../../../platform/shared/errors.ts";

const LONGEST_MS = 10_000;

/** @param work its signal aborts at the timeout. @throws SvcError `SVC_STORE` then, and errors of the work */
export async function withTransactionTimeout(work: (over: AbortSignal) => unknown): Promise<unknown> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    const message = `A transaction was rolled back because it was open for ${LONGEST_MS} ms, during which nobody else can write. Await only its statements in it`;
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
