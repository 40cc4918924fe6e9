/** The command line of `svc backup`. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { readBackupArguments } from "./backup.ts";

describe("svc backup", () => {
  it("copies the file that the app has by its variables, or the one it is given", () => {
    const fileOf = (args: string[], env: Record<string, string>): string | undefined => {
      const invocation = readBackupArguments(["copy.db", ...args], env);
      return invocation.kind === "backup" ? invocation.file : undefined;
    };
    assert.equal(fileOf([], { SVC_DATABASE_URL: "" }), resolve(".svc/svc.db"));
    assert.equal(fileOf([], { SVC_DATA_DIR: "data" }), resolve("data/svc.db"));
    assert.equal(fileOf([], { SVC_DATABASE_URL: "sqlite:a.db" }), resolve("a.db"));
    assert.equal(fileOf(["--from", "sqlite:/b.db"], { SVC_DATABASE_URL: "sqlite:a.db" }), "/b.db");
  });

  for (const [args, told] of [
    [[], /needs a file to write/],
    [["a", "b"], /takes no argument "b"/],
    [["a", "--from", "postgres://db"], /pg_dump/],
    [["a", "--from", "memory:"], /--from sqlite:/],
    [["a", "--froom"], /--froom/],
  ] as const)
    it(`says what is wrong with "${args.join(" ")}"`, () => {
      const invocation = readBackupArguments(args, {});
      assert.match(invocation.kind === "mistake" ? invocation.text : "", told);
    });
});
