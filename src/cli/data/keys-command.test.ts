/** The command line of `svc keys`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Environment } from "../command.ts";
import { keysCommand } from "./keys-command.ts";

const KEYS = `new:${"n".repeat(32)},old:${"o".repeat(32)}`;
const read = (args: readonly string[], env: Environment) =>
  keysCommand.read(args, { cwd: process.cwd(), env, nowMs: 0 });

describe("svc keys", () => {
  it("reads the database and the keys from the app's variables, or a given database", () => {
    const taskOf = (args: string[], env: Record<string, string>) => {
      const reading = read(args, env);
      return reading.kind === "run" ? reading.task : assert.fail(JSON.stringify(reading));
    };
    assert.equal(taskOf([], { SVC_DATABASE_URL: "" }).databaseUrl, "sqlite:.svc/svc.db");
    assert.equal(taskOf([], { SVC_DATA_DIR: "data" }).databaseUrl, "sqlite:data/svc.db");
    const task = taskOf(["rotate", "--from", "sqlite:b.db"], {
      SVC_DATABASE_URL: "postgres://a",
      SVC_PAYLOAD_KEYS: KEYS,
    });
    assert.deepEqual([task.kind, task.databaseUrl], ["rotate", "sqlite:b.db"]);
    assert.deepEqual(
      task.keys.map(({ id }) => id),
      ["new", "old"],
    );
    assert.equal(taskOf([], {}).kind, "count");
  });

  for (const [args, keys, expected] of [
    [["rotate"], "", /needs SVC_PAYLOAD_KEYS/],
    [["rotate"], "new:short", /SVC_PAYLOAD_KEYS has a key "new" that is too short/],
    [["rotat"], KEYS, /did you mean "svc keys rotate"/],
    [["rotate", "more"], KEYS, /takes no argument "more"/],
  ] as const)
    it(`reports the problem with "${args.join(" ")}" and the keys "${keys.slice(0, 9)}"`, () => {
      const reading = read(args, { SVC_PAYLOAD_KEYS: keys });
      const text = reading.kind === "usageError" ? reading.text : "";
      assert.match(text, expected);
      assert.ok(!text.includes("nnnn"));
    });
});
