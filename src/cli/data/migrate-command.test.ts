/** The command line of `svc migrate`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Environment } from "../command.ts";
import { migrateCommand } from "./migrate-command.ts";

const read = (args: readonly string[], env: Environment) => migrateCommand.read(args, { cwd: "/srv", env, nowMs: 0 });

const FILE = ["--from", "sqlite:a.db"];

describe("svc migrate", () => {
  it("accepts both databases as arguments, or the target from the variable", () => {
    const task = { kind: "move", from: "sqlite:a.db", to: "postgres://db/app", isDryRun: false, json: false };
    assert.deepEqual(read([...FILE, "--to", "postgres://db/app"], {}), { kind: "run", task });
    const env = { SVC_DATABASE_URL: "postgres://db/app" };
    assert.deepEqual(read([...FILE, "--dry-run", "--json"], env), {
      kind: "run",
      task: { ...task, isDryRun: true, json: true },
    });
  });

  it("removes a mark with --undo-mark, which excludes other arguments", () => {
    assert.deepEqual(read([...FILE, "--undo-mark"], {}), {
      kind: "run",
      task: { kind: "undo", from: "sqlite:a.db" },
    });
    assert.equal(read([...FILE, "--undo-mark", "--to", "sqlite:b.db"], {}).kind, "usageError");
  });

  for (const [args, expected] of [
    [[], /needs --from/],
    [FILE, /needs --to, or SVC_DATABASE_URL/],
    [[...FILE, "--to", "sqlite:a.db"], /the same database/],
    [[...FILE, "--too", "x"], /--too/],
  ] as const)
    it(`reports the problem with "${args.join(" ")}"`, () => {
      const reading = read(args, {});
      assert.match(reading.kind === "usageError" ? reading.text : "", expected);
    });

  it("prints its options in the help", () => {
    const reading = read(["--help"], {});
    assert.match(reading.kind === "help" ? reading.text : "", /--undo-mark/);
  });
});
