/** The command line of `svc backup`. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import type { Environment } from "../command.ts";
import { backupCommand } from "./backup-command.ts";

const read = (args: readonly string[], env: Environment) =>
  backupCommand.read(args, { cwd: process.cwd(), env, nowMs: 0 });

describe("svc backup", () => {
  it("copies the file from the app's variables, or a given one", () => {
    const fileOf = (args: string[], env: Record<string, string>): string | undefined => {
      const reading = read(["copy.db", ...args], env);
      return reading.kind === "run" ? reading.task.file : undefined;
    };
    assert.equal(fileOf([], { SVC_DATABASE_URL: "" }), resolve(".svc/svc.db"));
    assert.equal(fileOf([], { SVC_DATA_DIR: "data" }), resolve("data/svc.db"));
    assert.equal(fileOf([], { SVC_DATABASE_URL: "sqlite:a.db" }), resolve("a.db"));
    assert.equal(fileOf(["--from", "sqlite:/b.db"], { SVC_DATABASE_URL: "sqlite:a.db" }), "/b.db");
  });

  for (const [args, expected] of [
    [[], /needs a file to write/],
    [["a", "b"], /takes no argument "b"/],
    [["a", "--from", "postgres://db"], /pg_dump/],
    [["a", "--from", "memory:"], /--from sqlite:/],
    [["a", "--froom"], /--froom/],
  ] as const)
    it(`reports the problem with "${args.join(" ")}"`, () => {
      const reading = read(args, {});
      assert.match(reading.kind === "usageError" ? reading.text : "", expected);
    });
});
