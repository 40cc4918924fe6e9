/** The body of an answer, read no further than it may be. */
import { SvcError } from "../platform/shared/errors.ts";

export interface Bounds {
  maxBytes: number;
  /** What the reader is told when reading fails. */
  failure: (error: unknown) => unknown;
  /** Called once, when nothing more will be read. */
  end: () => void;
  /** For messages. */
  url: URL;
}

/** Reads on when asked to, never ahead: a reader that waits holds the sender back. */
export function boundedBody(
  body: ReadableStream<Uint8Array>,
  { maxBytes, failure, end, url }: Bounds,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let readBytes = 0;
  const fail = (error: unknown): never => {
    end();
    throw failure(error);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch(fail);
        if (done) {
          end();
          return controller.close();
        }
        readBytes += value.byteLength;
        if (readBytes <= maxBytes) return controller.enqueue(value);
        // Nobody waits for it: the connection is given up.
        reader.cancel().catch(() => undefined);
        fail(
          new SvcError("SVC_UPSTREAM", `${url.host} answered more than ${maxBytes} bytes; raise "maxBytes" if it may`),
        );
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
