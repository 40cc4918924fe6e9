/** Reads the body of a response up to a limit. */
import { SvcError } from "../platform/shared/errors.ts";

export interface Bounds {
  maxBytes: number;
  /** Converts a read error into the error that the reader gets. */
  failure: (error: unknown) => unknown;
  /** Called once, when no more will be read. */
  end: () => void;
  /** URL for error messages. */
  url: URL;
}

/** Reads on demand and never ahead, so a slow reader slows the sender down. */
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
        // The connection is given up, so the result does not matter.
        reader.cancel().catch(() => undefined);
        fail(
          new SvcError("SVC_UPSTREAM", `${url.host} sent more than ${maxBytes} bytes; raise "maxBytes" to allow that`),
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
