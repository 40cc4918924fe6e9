/**
 * Receivers with invalid certificates: nothing is sent to them, and the attempt reports the reason. `test/fixtures/tls` contains a CA
 * made for this test and its certificates, valid for a century. The test trusts that CA as NODE_EXTRA_CA_CERTS would.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import tls from "node:tls";
import { systemClock } from "../../platform/shared/clock.ts";
import type { AttemptRow } from "../../storage/contract/webhook-rows.ts";
import { FakeWebhookStore, fakeStore } from "./fake-store.test.ts";
import { createWebhooks } from "../webhooks.ts";

const PATIENCE_MS = 30_000;
const pem = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/tls/${name}.pem`, import.meta.url), "utf8");

/** The outcomes of successive attempts at a receiver with this certificate, and the requests and connections that it saw. */
async function attempts(
  certificate: string,
  count = 1,
): Promise<{ rows: AttemptRow[]; requests: number; connections: number }> {
  let [requests, connections] = [0, 0];
  const server = createServer({ key: pem("key"), cert: pem(certificate) }, (request, response) => {
    requests++;
    request.resume();
    response.end();
  });
  server.on("secureConnection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const store = await FakeWebhookStore.open();
  const webhooks = createWebhooks({
    store: fakeStore(store),
    clock: systemClock,
    allowCidrs: ["127.0.0.0/8"],
    resolve: async () => ["127.0.0.1"],
  });
  webhooks.start();
  const url = `https://hooks.example.com:${(server.address() as AddressInfo).port}/`;
  const { registration } = await webhooks.create({ url });
  for (let made = 1; made <= count; made++) {
    await webhooks.ping(registration.id);
    for (const endMs = Date.now() + PATIENCE_MS; store.attemptRows.length < made;) {
      assert.ok(Date.now() < endMs, "no attempt was recorded in time");
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await webhooks.close(0);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { rows: store.attemptRows, requests, connections };
}

describe("a receiver whose certificate", () => {
  const { createSecureContext } = tls;
  const { NODE_TLS_REJECT_UNAUTHORIZED } = process.env;
  const { emitWarning } = process;
  const warnings: string[] = [];
  before(() => {
    // Silences Node's warning about the variable, which this test sets on purpose.
    process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
    tls.createSecureContext = (options) =>
      createSecureContext({ ...options, ...(options?.cert ? {} : { ca: pem("ca") }) });
  });
  after(() => {
    tls.createSecureContext = createSecureContext;
    process.emitWarning = emitWarning;
    if (NODE_TLS_REJECT_UNAUTHORIZED === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = NODE_TLS_REJECT_UNAUTHORIZED;
  });

  it("is valid gets the delivery, and later ones over the same connection", async () => {
    const { rows, requests, connections } = await attempts("valid", 3);
    assert.deepEqual(
      rows.map(({ error, statusCode }) => [error, statusCode]),
      Array.from({ length: 3 }, () => [undefined, 200]),
    );
    assert.deepEqual([requests, connections], [3, 1]);
    assert.deepEqual(
      rows.map(({ timings }) => Object.keys(timings ?? {})),
      [["dns", "connect", "tls", "first_byte"], ["first_byte"], ["first_byte"]],
    );
  });

  for (const [certificate, is, code] of [
    ["expired", "has run out", "CERT_HAS_EXPIRED"],
    ["not-yet", "is not valid yet", "CERT_NOT_YET_VALID"],
    ["other-name", "is for another name", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["self-signed", "is signed by itself", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ] as const) {
    it(`${is} gets no request, whatever the value of NODE_TLS_REJECT_UNAUTHORIZED`, async () => {
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
      const { rows, requests } = await attempts(certificate);
      assert.deepEqual([rows[0]?.error, requests], [`connection failed: ${code}`, 0]);
      assert.match(warnings.join(), /NODE_TLS_REJECT_UNAUTHORIZED/);
    });
  }
});
