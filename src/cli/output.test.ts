import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";
import { columns, createOutput } from "./output.ts";

const BIN = fileURLToPath(new URL("../../bin/svc.js", import.meta.url));

describe("the output of svc", () => {
  it("ends silently if its reader is gone, as with `| head`", async () => {
    const child = spawn(process.execPath, [BIN, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    // Before the process prints anything.
    child.stdout.destroy();
    const [printed, [code]] = await Promise.all([text(child.stderr), once(child, "exit") as Promise<[number | null]>]);
    assert.deepEqual([printed, code], ["", 0]);
  });
});

describe("a printed table", () => {
  it("aligns its columns, for colored texts and a last column of any length", () => {
    const green = styleText("green", "done", { validateStream: false });
    const lines = columns([
      ["a", green, "1"],
      ["long", "failed", "and so on"],
      ["b", "", ""],
    ]);
    assert.deepEqual(lines, [`a     ${green}    1`, "long  failed  and so on", "b"]);
    assert.deepEqual(columns([]), []);
  });
});

describe("styled output", () => {
  const sink = (isTTY: boolean) => ({ isTTY, write: () => true });

  it("has styles on a terminal only, and never with NO_COLOR", () => {
    const styled = (isTTY: boolean, env: Record<string, string>) =>
      createOutput(sink(isTTY), sink(isTTY), env).style("green", "x");
    assert.equal(styled(true, {}), "\u001b[32mx\u001b[39m");
    assert.equal(styled(true, { NO_COLOR: "1" }), "x");
    assert.equal(styled(true, { TERM: "dumb" }), "x");
    assert.equal(styled(false, {}), "x");
  });
});
