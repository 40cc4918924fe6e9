/** Requests that no HTTP client would send. */
import { connect } from "node:net";

/**
 * Sends characters as bytes (latin1), whatever they are, to a port of this machine.
 * @returns all that comes until the server closes; have it do so with `connection: close`. Rejects when the socket fails.
 */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text, "latin1"));
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}
