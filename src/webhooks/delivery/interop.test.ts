/** Deliveries of a run and forgeries of them, checked by third-party verifiers. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { verify as verifyLikeGithub } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { systemClock } from "../../platform/shared/clock.ts";
import { createReceiver, type Received } from "../../testing/receiver.ts";
import { FakeWebhookStore, fakeStore } from "./fake-store.test.ts";
import { newSecret } from "../signing/sign.ts";
import { verify } from "../signing/verify.ts";
import { createWebhooks } from "../webhooks.ts";

const COUNT = 20;
const PATIENCE_MS = 30_000;

/** The deliveries that a receiver gets for several events, each with a different result. */
async function deliveriesOf(secret: string): Promise<readonly Received[]> {
  const store = await FakeWebhookStore.open();
  const webhooks = createWebhooks({ store: fakeStore(store), clock: systemClock, secret, allowCidrs: ["127.0.0.0/8"] });
  const receiver = await createReceiver();
  webhooks.start();
  await webhooks.create({ url: receiver.url });
  for (let at = 0; at < COUNT; at++) {
    const result = { at, text: 'žluťoučký 🐎 \u2028 \\ " '.repeat(at) };
    const event = {
      event: "graph.done" as const,
      graphId: `g_${at}`,
      worker: "w",
      status: "done" as const,
      error: undefined,
    };
    const times = { timestampMs: systemClock.now(), durationMs: at, epoch: 1, pauseNo: 0 };
    for (const row of webhooks.outboxRows({ ...event, ...times, result })) await store.addDelivery(row);
  }
  const received = await receiver.received(COUNT, PATIENCE_MS);
  await webhooks.close();
  await receiver.close();
  return received;
}

const headersOf = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

function isGenuine(delivery: Pick<Received, "body" | "headers">, secret: string): boolean {
  try {
    verify({ ...delivery, secret, requireTimestamp: true });
    return true;
  } catch {
    return false;
  }
}

describe("every delivery of a run", () => {
  for (const [kind, secret] of [
    ["plain", "a-plain-secret-0123456789"],
    ["whsec_", newSecret()],
  ] as const) {
    it(`signed with a ${kind} secret verifies with standardwebhooks, svix, @octokit/webhooks-methods and openssl`, async () => {
      const standard = kind === "plain" ? new Webhook(secret, { format: "raw" }) : new Webhook(secret);
      const deliveries = await deliveriesOf(secret);
      const svix = new SvixWebhook(kind === "plain" ? `whsec_${Buffer.from(secret).toString("base64")}` : secret);
      for (const delivery of deliveries) {
        assert.ok(svix.verify(delivery.body, headersOf(delivery)));
        assert.ok(standard.verify(delivery.body, headersOf(delivery)));
        assert.ok(await verifyLikeGithub(secret, delivery.body, headersOf(delivery)["x-svc-signature"] ?? ""));
        assert.ok(isGenuine(delivery, secret));
      }
      const last = deliveries.at(-1);
      assert.ok(last);
      const openssl = spawnSync("openssl", ["dgst", "-sha256", "-hmac", secret], { input: last.body });
      // Without openssl, the other verifiers are enough.
      if (openssl.error) return;
      assert.equal(`sha256=${String(openssl.stdout).trim().split("= ")[1]}`, headersOf(last)["x-svc-signature"]);
    });
  }

  it("fails verification with any changed byte in its body, id, time or signature", async () => {
    const secret = newSecret();
    const delivery = (await deliveriesOf(secret))[1];
    assert.ok(delivery);
    const bytes = Buffer.from(delivery.body);
    for (let at = 0; at < bytes.length; at++) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] ?? 0) ^ 1;
      assert.throws(
        () => verify({ body: forged, headers: delivery.headers, secret }),
        { code: "SVC_UNAUTHORIZED" },
        `byte ${at}`,
      );
    }
    const others = [new Webhook(secret), new SvixWebhook(secret)];
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      const value = headersOf(delivery)[name] ?? "";
      for (let at = 0; at < value.length; at++) {
        // Some bits of the last character before the base64 padding have no meaning.
        if (name === "webhook-signature" && at >= value.length - 2) continue;
        const forged = value.slice(0, at) + (value[at] === "1" ? "2" : "1") + value.slice(at + 1);
        const headers = { ...headersOf(delivery), [name]: forged };
        assert.ok(!isGenuine({ body: delivery.body, headers }, secret), `${name}: ${forged}`);
        for (const other of others) assert.throws(() => other.verify(delivery.body, headers), `${name}: ${forged}`);
      }
    }
  });
});
