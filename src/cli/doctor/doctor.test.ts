/** `svc doctor`: its command line, output and exit code. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Environment } from "../command.ts";
import { createOutput } from "../output.ts";
import { doctorCommand } from "./doctor-command.ts";
import { doctor } from "./doctor.ts";

async function run(args: readonly string[], env: Environment): Promise<{ code: number; text: string }> {
  const reading = doctorCommand.read(args, { cwd: process.cwd(), env, nowMs: 0 });
  assert.ok(reading.kind === "run");
  let text = "";
  const sink = { write: (part: string) => void (text += part) };
  const code = await doctor(reading.task, createOutput(sink, sink, {}));
  return { code, text };
}

const SAFE = {
  NODE_ENV: "production",
  SVC_SITE_URL: "https://shop.example",
  SVC_TRUST_PROXY: "127.0.0.1/32",
  SVC_SECRET: "9f2b7c4d8e1a6053f7b9c2d4e8a16f35",
  SVC_EXEC_API_KEY: "7d1f0c9b3a5e8264",
};

describe("svc doctor", () => {
  it("reports unsafe settings by name, without secrets, and exits with 1", async () => {
    const secret = "s".repeat(32);
    const { code, text } = await run([], { ...SAFE, NODE_ENV: "development", SVC_SECRET: secret });
    assert.equal(code, 1);
    assert.match(text, /^unsafe {2}NODE_ENV {4}\S.*\nunsafe {2}SVC_SECRET {2}\S.*\n$/);
    assert.ok(!text.includes(secret));
  });

  it("exits with 0 if no setting is unsafe, also with advice", async () => {
    assert.deepEqual(await run([], SAFE), { code: 0, text: "No unsafe settings.\n" });
    const { code, text } = await run(["--json"], { ...SAFE, SVC_SECRET: undefined });
    const { unsafe, settings } = JSON.parse(text) as { unsafe: number; settings: { level: string; name: string }[] };
    assert.deepEqual(
      [code, unsafe, settings.map(({ level, name }) => `${level} ${name}`)],
      [0, 0, ["advice SVC_SECRET"]],
    );
  });

  it("takes no arguments", () => {
    assert.equal(doctorCommand.read(["now"], { cwd: "/", env: {}, nowMs: 0 }).kind, "usageError");
  });
});
