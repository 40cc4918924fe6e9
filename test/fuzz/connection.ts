/** One connection of a careless or hostile client, and all that the server says on it. Holds no test. */
import { connect } from "node:net";

/**
 * How a client goes: `wait` for the server to close, `end` its own side, or `reset` without a word, once nothing comes any more;
 * `drop` all as soon as it has sent what it has.
 */
export type Leaving = "wait" | "end" | "reset" | "drop";

export interface Exchange {
  /** What the server sent. */
  bytes: Buffer;
  /** Whether we left first; then the last answer may be cut off. */
  hasLeft: boolean;
}

/** Within which every connection must be over once its client has left: far beyond any busy machine. */
const DEADLINE_MS = 60_000;
/** After which silence of the server means that it waits for us. */
const SILENCE_MS = 60;

/** Sends bytes and waits for the end of the connection. @throws Error when it does not come. */
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
    // A server that refuses early resets what we still send; what counts is what came before.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      clearTimeout(silence);
      clearTimeout(deadline);
      resolve({ bytes: Buffer.concat(chunks), hasLeft });
    });
  });
}
