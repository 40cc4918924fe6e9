/**
 * Which runtimes svc runs on (docs/reference/runtimes.md). Imports nothing: `bin/svc.js` reads it on runtimes that can't load the rest.
 */

/** The part of `process.versions` that matters. */
export interface RuntimeVersions {
  readonly node?: string | undefined;
  /** Only Bun has it. Deno reports its own version beside that of the Node it imitates. */
  readonly bun?: string | undefined;
}

/** The range of `engines` in package.json. */
export const NODE_RANGE = "^20.19.0 || >=22.12.0";

/** @returns what is wrong with this runtime and what to do; undefined if svc runs on it. */
export function runtimeProblem({ node = "0.0.0", bun }: RuntimeVersions): string | undefined {
  if (bun !== undefined)
    return `svc does not run on Bun ${bun}: its undici ignores the connector that keeps requests out of your network, and its node:http lacks parts of the server. Run it with Node 20.19, 22.12 or newer, or Deno 2; Bun may install packages`;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const isSupported = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
  return isSupported ? undefined : `svc does not run on Node ${node}. Install Node 20.19, 22.12 or newer`;
}
