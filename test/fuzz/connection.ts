/** One connection of a careless or hostile client. Returns everything that the server sends on it. */
import { connect } from "node:net";

/**
 * How the client leaves. `wait`: waits for the server to close. `end` and `reset`: closes or resets the connection once the server is
 * silent. `drop`: disconnects right after sending.
 */
export type Leaving = "wait" | "end" | "reset" | "drop";

export interface Exchange {
  /** All bytes that the server sent. */
  bytes: Buffer;
  /** Whether the client left first. The last response may then be cut off. */
  hasLeft: boolean;
}

/** Maximum time for a connection to close after its client has left; far more than a busy machine needs. */
const DEADLINE_MS = 60_000;
/** Silence of the server after which it is taken to wait for the client. */
const SILENCE_MS = 60;

/** Sends bytes and waits until the connection closes. @throws Error if it does not */
export function exchange(port: number, bytes: Uint8Array, leaving: Leaving = "end"): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let hasLeft = false;
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(bytes, () => {
        if (leaving === "drop") leave();
      });
    });
    const leave = (): void => {
      hasLeft = true;
      if (leaving === "reset") socket.resetAndDestroy();
      else if (leaving === "drop") socket.destroy();
      else socket.end();
    };
    const silence = leaving === "wait" || leaving === "drop" ? undefined : setTimeout(leave, SILENCE_MS);
    const deadline = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection is open ${DEADLINE_MS} ms after its client has left`));
    }, DEADLINE_MS);
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      silence?.refresh();
    });
    // A server that rejects early resets the rest of the request. Only the response before that matters.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      clearTimeout(silence);
      clearTimeout(deadline);
      resolve({ bytes: Buffer.concat(chunks), hasLeft });
    });
  });
}
