/** Time from a server's start to its first response, and its memory after load. */
import type { Command } from "./http-servers.ts";
import { Server } from "./http-servers.ts";

export interface Started {
  /** Processor time until the first response, in milliseconds. */
  cpuMs: number;
  /** Time until the first response, in milliseconds. */
  firstMs: number;
}

/** Starts a server, waits for its first response, and ends it. @param path answered with 200 */
export async function measureStart(command: Command, path: string): Promise<Started> {
  const began = performance.now();
  const server = await Server.start(command);
  try {
    const { status } = await fetch(`http://127.0.0.1:${server.port}${path}`);
    if (status !== 200) throw new Error(`${path} is answered with ${status}`);
    const firstMs = performance.now() - began;
    const { cpuUs } = await server.usage();
    return { firstMs, cpuMs: cpuUs / 1000 };
  } finally {
    server.stop();
  }
}
