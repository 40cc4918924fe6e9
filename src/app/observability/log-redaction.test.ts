import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createApp } from "../../index.ts";
import { readConfig } from "../lifecycle/config.ts";
import { LogRedaction, secretsOf } from "./log-redaction.ts";

describe("log redaction", () => {
  it("hides every secret of the variables, including previous ones and the database password", () => {
    const hidden = new LogRedaction(
      secretsOf(
        readConfig({
          SVC_SECRET: "secret-of-the-site",
          SVC_SECRET_PREVIOUS: "secret-before-that",
          SVC_WEBHOOK_SECRET: "secret-of-webhooks",
          SVC_EXEC_API_KEY: "key-of-operators",
          SVC_DATABASE_URL: "postgres://app:sword%40fish@db/app",
          OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
          OTEL_EXPORTER_OTLP_HEADERS: "authorization=key-of-traces",
        }),
      ),
    );
    for (const text of ["secret-of-the-site", "secret-before-that", "secret-of-webhooks", "key-of-operators"])
      assert.equal(hidden.hide(`a ${text} b`), "a [hidden] b");
    for (const text of ["sword%40fish", "sword@fish", "key-of-traces"])
      assert.equal(hidden.hide(`a ${text} b`), "a [hidden] b");
  });

  it("hides the secret that an app creates for itself", async ({ mock }) => {
    const folder = mkdtempSync(join(tmpdir(), "svc-hidden-"));
    const app = createApp({ env: { SVC_DATA_DIR: folder, SVC_DATABASE_URL: "memory:" } });
    await app.fetch(new Request("http://localhost/"));
    const secret = readFileSync(join(folder, "secret"), "utf8").trim();
    assert.ok(secret.length >= 32);
    const written: string[] = [];
    const stderr = mock.method(process.stderr, "write", (text: string) => written.push(text) > 0);
    app.log.error({ err: new Error(`opened with ${secret}`) }, `With ${secret}`);
    stderr.mock.restore();
    await app.close();
    rmSync(folder, { recursive: true });
    assert.match(written.join(""), /opened with \[hidden\]/);
    assert.ok(!written.join("").includes(secret));
  });
});
