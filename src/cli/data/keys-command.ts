/** Command line of `svc keys`. */
import { VARIABLES } from "../../platform/shared/wire.ts";
import { readPayloadKeys } from "../../storage/encryption/payload-keys.ts";
import { Command, requireNoMore, UsageError, type Environment } from "../command.ts";
import { databaseUrlOf } from "./database-url.ts";
import type { KeysTask } from "./keys.ts";

export const keysCommand = new Command({
  name: "keys",
  summary: "count the encrypted payloads of a database by key, or encrypt them with the first key",
  usage: ["svc keys [options]", "svc keys rotate [options]"],
  introduction: `Without "rotate" it changes nothing.`,
  options: {
    from: {
      type: "string",
      value: "<url>",
      help: `sqlite:<path> or postgres://… (default: ${VARIABLES.databaseUrl}, else svc.db in ${VARIABLES.dataDir} or .svc)`,
    },
    json: { type: "boolean", help: "print a line of JSON for each step" },
  },
  notes: `The keys are those of ${VARIABLES.payloadKeys}. "rotate" encrypts every payload with the first one, also payloads that were
stored before encryption was on. After an interruption, run it again: it skips what is done. A key without values may be
removed from the variable. Stop the app first if its database is SQLite; on PostgreSQL it may run.`,
  examples: ["svc keys", "svc keys rotate --from postgres://app@db/app"],
  parse([step, ...rest], { from, json = false }, { env }): KeysTask {
    requireNoMore("keys", rest);
    if (step !== undefined && step !== "rotate")
      throw new UsageError(`svc keys takes no argument "${step}"; did you mean "svc keys rotate"?`);
    const task = { databaseUrl: from ?? databaseUrlOf(env), keys: keysOf(env), json };
    if (step === undefined) return { kind: "count", ...task };
    if (task.keys.length > 0) return { kind: "rotate", ...task };
    throw new UsageError(
      `svc keys rotate needs ${VARIABLES.payloadKeys}, such as 2026-11:<key>; create a key with "openssl rand -hex 32"`,
    );
  },
  load: async () => (await import("./keys.ts")).keys,
});

function keysOf(env: Environment): KeysTask["keys"] {
  try {
    return readPayloadKeys(env[VARIABLES.payloadKeys] ?? "");
  } catch (error) {
    throw new UsageError(`${VARIABLES.payloadKeys} ${(error as Error).message}`);
  }
}
