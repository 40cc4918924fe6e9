/** Signatures, checked by third-party verifiers. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { verify as verifyLikeGithub } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { newSecret, secretProblem, signatureHeaders, SigningKey } from "./sign.ts";
import { verify } from "./verify.ts";

const BODY = JSON.stringify({ event: "graph.done", graph_id: "g_01", result: { name: 'Zoë ✓ "q"' } });
const ID = "msg_00112233445566778899aabbccddeeff";
const HEX = randomBytes(32).toString("hex");
const WHSEC = newSecret();
const OLD = newSecret();

const signed = (current: string | undefined, previous?: string, timestampMs = Date.now()): Record<string, string> => {
  const headers = signatureHeaders(ID, timestampMs, BODY, { current, previous });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
};
/** standardwebhooks accepts a secret that is not base64 only with this option. */
const standard = (secret: string): Webhook =>
  secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" });

for (const [name, secret] of [
  ["hex", HEX],
  ["whsec_", WHSEC],
] as const) {
  describe(`signatures with a ${name} secret`, () => {
    it("verify with standardwebhooks and with @octokit/webhooks-methods", async () => {
      const headers = signed(secret);
      assert.deepEqual(standard(secret).verify(BODY, headers), JSON.parse(BODY));
      assert.equal(await verifyLikeGithub(secret, BODY, headers["x-svc-signature"] ?? ""), true);
    });

    it("fail for another body, id or secret", async () => {
      const headers = signed(secret);
      assert.throws(() => standard(secret).verify(`${BODY} `, headers));
      assert.throws(() => standard(secret).verify(BODY, { ...headers, "webhook-id": "msg_x" }));
      assert.throws(() => standard(OLD).verify(BODY, headers));
      assert.equal(await verifyLikeGithub(secret, `${BODY} `, headers["x-svc-signature"] ?? ""), false);
    });

    it("verify with the old secret too during a rotation, X-Svc-Signature with the new one only", async () => {
      const headers = signed(secret, OLD);
      assert.ok(standard(OLD).verify(BODY, headers));
      assert.ok(standard(secret).verify(BODY, headers));
      assert.equal(await verifyLikeGithub(secret, BODY, headers["x-svc-signature"] ?? ""), true);
      assert.equal(await verifyLikeGithub(OLD, BODY, headers["x-svc-signature"] ?? ""), false);
    });
  });
}

describe("signature headers", () => {
  it("contain the hex HMAC of the raw bytes, with the UTF-8 bytes of the secret as the key", () => {
    const hex = createHmac("sha256", Buffer.from(WHSEC, "utf8")).update(Buffer.from(BODY)).digest("hex");
    assert.equal(signed(WHSEC)["x-svc-signature"], `sha256=${hex}`);
  });

  it("contain the id and time of the delivery, but no signature, without a secret", () => {
    assert.deepEqual(signed(undefined, undefined, 1_767_225_600_999), {
      "webhook-id": ID,
      "webhook-timestamp": "1767225600",
    });
  });
});

describe("webhook secrets", () => {
  it("are generated as 32 random bytes in Standard Webhooks form", () => {
    assert.match(WHSEC, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.notEqual(newSecret(), newSecret());
    assert.equal(secretProblem(WHSEC), undefined);
    assert.equal(secretProblem(HEX), undefined);
  });

  it("are rejected if receivers could not verify their signatures", () => {
    for (const secret of [
      "",
      "short",
      "has a space in it",
      "ünïcödé-secret",
      "x".repeat(257),
      "whsec_not base64",
      "whsec_%%%%%%%%",
      "whsec_c2hvcnQ=",
    ])
      assert.notEqual(secretProblem(secret), undefined, secret);
  });
});

describe("verify()", () => {
  const now = Date.UTC(2026, 0, 1);
  const refused = { code: "SVC_UNAUTHORIZED" };

  it("returns the payload of a delivery from Node headers, web headers, text or bytes", () => {
    for (const secret of [HEX, WHSEC]) {
      const headers = signed(secret, undefined, now);
      assert.equal(verify({ body: BODY, headers, secret, now }).graph_id, "g_01");
      const received = { body: Buffer.from(BODY), headers: new Headers(headers), secrets: [OLD, secret], now };
      assert.equal(verify(received).event, "graph.done");
    }
  });

  it("refuses X-Svc-Signature alone, which could be a replay, unless no timestamp is required", () => {
    const headers = { "X-Svc-Signature": signed(HEX)["x-svc-signature"] };
    assert.throws(() => verify({ body: BODY, headers, secret: HEX }), refused);
    assert.equal(verify({ body: BODY, headers, secret: HEX, requireTimestamp: false }).graph_id, "g_01");
    assert.throws(() => verify({ body: BODY, headers, secret: OLD, requireTimestamp: false }), refused);
  });

  it("refuses a secret that anybody can guess, such as that of a variable that is not set", () => {
    const body = JSON.stringify({ event: "forged" });
    const [id, seconds] = ["msg_1", Math.floor(Date.now() / 1000)];
    for (const secret of ["", " ", "x", "       7", "whsec_", "whsec_AAAA", "whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!!!"]) {
      const signature = new SigningKey(secret).standard(id, seconds, body);
      const headers = { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signature };
      assert.throws(() => verify({ body, headers, secret }), { code: "SVC_CONFIG" }, JSON.stringify(secret));
      assert.throws(() => verify({ body, headers, secrets: ["long-enough-secret", secret] }), { code: "SVC_CONFIG" });
    }
  });

  it("accepts signatures of a standardwebhooks sender", () => {
    const signature = new Webhook(WHSEC).sign(ID, new Date(now), BODY);
    const headers = { "webhook-id": ID, "webhook-timestamp": String(now / 1000), "webhook-signature": signature };
    assert.equal(verify({ body: BODY, headers, secret: WHSEC, now }).graph_id, "g_01");
  });

  it("rejects a timestamp that is off by 301 s in either direction, and accepts 300 s", () => {
    const headers = signed(HEX, undefined, now);
    for (const offMs of [-300_000, 300_000]) assert.ok(verify({ body: BODY, headers, secret: HEX, now: now + offMs }));
    for (const offMs of [-301_000, 301_000])
      assert.throws(() => verify({ body: BODY, headers, secret: HEX, now: now + offMs }), refused);
    assert.ok(verify({ body: BODY, headers, secret: HEX, now: now + 301_000, tolerance: "10m" }));
  });

  it("rejects an invalid or old webhook-signature, even with a valid X-Svc-Signature", () => {
    const headers = signed(HEX, undefined, now);
    const tampered = { ...headers, "webhook-signature": "v1,AAAA v2,x" };
    assert.throws(() => verify({ body: BODY, headers: tampered, secret: HEX, now }), refused);
    const { "webhook-timestamp": _, ...timeless } = headers;
    assert.throws(() => verify({ body: BODY, headers: timeless, secret: HEX, now }), refused);
  });

  it("returns the signed payload unchanged, for any keys and depth", () => {
    const body = `{"event":"graph.done","result":{"constructor":{"__proto__":${"[".repeat(100)}${"]".repeat(100)}}}}`;
    const headers = signatureHeaders(ID, now, body, { current: HEX, previous: undefined });
    assert.deepEqual(Object.keys(verify({ body, headers, secret: HEX, now }).result), ["constructor"]);
  });

  it("distinguishes a signed body that is not JSON from an invalid signature", () => {
    const body = Buffer.from([0xff, 0x7b]);
    const headers = { "x-svc-signature": new SigningKey(HEX).body(body) };
    assert.throws(() => verify({ body, headers, secret: HEX, requireTimestamp: false }), { code: "SVC_INVALID" });
  });

  it("rejects unsigned, modified and foreign deliveries", () => {
    const headers = signed(HEX, undefined, now);
    assert.throws(() => verify({ body: BODY, headers: {}, secret: HEX, now }), refused);
    assert.throws(() => verify({ body: `${BODY} `, headers, secret: HEX, now }), refused);
    assert.throws(() => verify({ body: BODY, headers, secret: WHSEC, now }), refused);
    assert.throws(() => verify({ body: BODY, headers, now }), { code: "SVC_CONFIG" });
  });
});
