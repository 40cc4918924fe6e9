/** The receivers of docs/guide/webhooks.md run in their own runtimes, if installed, with deliveries and forgeries. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createReceiver } from "../../testing/receiver.ts";
import { newSecret, signatureHeaders } from "./sign.ts";
import { verify } from "./verify.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const guide = readFileSync(join(root, "docs/guide/webhooks.md"), "utf8");
// Inside the package, so that "svckit/webhooks" resolves as in an app.
const folder = mkdtempSync(join(root, "out/snippets-"));
function snippetOf(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(guide)?.[1];
  assert.ok(found, `the guide has no block of ${language}`);
  return found;
}

interface Runtime {
  file: string;
  command: string;
  args: (file: string) => string[];
}

const RUNTIMES: Record<string, Runtime> = {
  javascript: { file: "verify.mjs", command: process.execPath, args: (file) => [file] },
  python: { file: "verify.py", command: "python3", args: (file) => [file] },
  go: { file: "verify.go", command: "go", args: (file) => ["run", file] },
  php: { file: "verify.php", command: "php", args: (file) => [file] },
  ruby: { file: "verify.rb", command: "ruby", args: (file) => [file] },
};

const has = (command: string, flag = "--version"): boolean => spawnSync(command, [flag]).status === 0;
const missing = (command: string, flag?: string): string | false =>
  has(command, flag) ? false : `${command} is not installed here`;

const BODY = JSON.stringify({ event: "graph.done", graph_id: "g_1", result: { name: "Žofia – ✓" } });
const OLD = "the-secret-before-0123456789";

function delivery(secret: string, timestampMs = Date.now()) {
  const headers = signatureHeaders("msg_1", timestampMs, BODY, { current: OLD, previous: secret });
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    (name) => headers[name],
  );
  return { SECRET: secret, WEBHOOK_ID: id, WEBHOOK_TIMESTAMP: timestamp, WEBHOOK_SIGNATURE: signature };
}

describe("the receivers of the guide", () => {
  after(() => rmSync(folder, { recursive: true }));

  for (const [language, { file, command, args }] of Object.entries(RUNTIMES)) {
    it(
      `in ${language} accept deliveries and reject forgeries`,
      { skip: missing(command, language === "go" ? "version" : undefined) },
      () => {
        const path = join(folder, file);
        writeFileSync(path, snippetOf(language));
        const accepts = (env: Record<string, string | undefined>, body = BODY): boolean =>
          spawnSync(command, args(path), { env: { ...process.env, ...env }, input: body }).status === 0;
        const [plain, encoded] = ["a-plain-secret-0123456789", newSecret()];
        assert.ok(accepts(delivery(plain)), "a plain secret, in a rotation");
        assert.ok(accepts(delivery(encoded)), "a whsec_ secret");
        assert.ok(!accepts(delivery(plain), `${BODY} `), "another body");
        assert.ok(!accepts({ ...delivery(plain), WEBHOOK_ID: "msg_2" }), "another id");
        assert.ok(!accepts({ ...delivery(plain), SECRET: "another-secret-0123456789" }), "another secret");
        assert.ok(!accepts(delivery(plain, Date.now() - 301_000)), "an old one");
      },
    );
  }

  const noCurl = missing("curl") || missing("openssl", "version");
  it("that use curl and openssl send a valid signature", { skip: noCurl }, async () => {
    const secret = "a-plain-secret-0123456789";
    const receiver = await createReceiver();
    const env = { ...process.env, SECRET: secret, RECEIVER: receiver.url };
    await promisify(execFile)("bash", ["-c", snippetOf("bash")], { env });
    await receiver.close();
    const [received] = receiver.deliveries;
    assert.ok(received);
    assert.equal(verify({ ...received, secret, requireTimestamp: true }).event, "ping");
  });
});
