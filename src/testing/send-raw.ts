/** Sends requests that no HTTP client would send. */
import { connect } from "node:net";

/**
 * Sends the characters as bytes (latin1) to a port of this machine.
 * @returns all data until the server closes the connection; send `connection: close` for that. Rejects if the socket fails.
 * @example
 * const response = await sendRaw(3000, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
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
