/** The command line of `svc migrate`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readMigrateArguments } from "./migrate-arguments.ts";

const FILE = ["--from", "sqlite:a.db"];

describe("svc migrate", () => {
  it("takes both sides, and the target from the variable too", () => {
    const command = { from: "sqlite:a.db", to: "postgres://db/app", isDryRun: false, json: false };
    assert.deepEqual(readMigrateArguments([...FILE, "--to", "postgres://db/app"], {}), { kind: "move", command });
    const env = { SVC_DATABASE_URL: "postgres://db/app" };
    assert.deepEqual(readMigrateArguments([...FILE, "--dry-run", "--json"], env), {
      kind: "move",
      command: { ...command, isDryRun: true, json: true },
    });
  });

  it("takes a mark off, and nothing else with that", () => {
    assert.deepEqual(readMigrateArguments([...FILE, "--undo-mark"], {}), { kind: "undo", from: "sqlite:a.db" });
    assert.equal(readMigrateArguments([...FILE, "--undo-mark", "--to", "sqlite:b.db"], {}).kind, "mistake");
  });

  for (const [args, told] of [
    [[], /needs --from/],
    [FILE, /needs --to, or SVC_DATABASE_URL/],
    [[...FILE, "--to", "sqlite:a.db"], /the same database/],
    [[...FILE, "--too", "x"], /--too/],
  ] as const)
    it(`says what is wrong with "${args.join(" ")}"`, () => {
      const invocation = readMigrateArguments(args, {});
      assert.match(invocation.kind === "mistake" ? invocation.text : "", told);
    });

  it("tells its options", () => {
    const invocation = readMigrateArguments(["--help"], {});
    assert.match(invocation.kind === "tell" ? invocation.text : "", /--undo-mark/);
  });
});
