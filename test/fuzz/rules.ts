/** The rules that every response must follow, for any request (contract section 1). */
import assert from "node:assert/strict";
import type { Answer } from "./answers.ts";

const ALWAYS: Record<string, RegExp> = {
  "x-content-type-options": /^nosniff$/,
  "x-frame-options": /^DENY$/,
  "referrer-policy": /^strict-origin-when-cross-origin$/,
  "cross-origin-opener-policy": /^same-origin$/,
  "cross-origin-resource-policy": /^same-origin$/,
  "permissions-policy": /camera=\(\)/,
  "x-request-id": /^[\x21-\x7e]{1,128}$/,
};

/** All statuses of the contract except 5xx: nothing in the app under test fails. */
const STATUSES = new Set([
  200, 201, 202, 204, 206, 303, 304, 400, 401, 403, 404, 405, 408, 409, 412, 413, 414, 415, 416, 417, 421, 422, 429,
  431,
]);

/** @throws AssertionError that names the violated rule. */
export function checkAnswer({ status, headers, body }: Answer): void {
  assert.ok(STATUSES.has(status), `status ${status}: ${body?.slice(0, 500)}`);
  for (const [name, value] of Object.entries(ALWAYS)) assert.match(headers[name] ?? "", value, `${status} ${name}`);
  const type = headers["content-type"] ?? "";
  if (type.startsWith("text/html")) {
    assert.match(headers["content-security-policy"] ?? "", /'nonce-[\w+/=]{24}'/);
    assert.doesNotMatch(body ?? "", /<fuzz/, "input was rendered as HTML");
  }
  if (status === 405) assert.match(headers["allow"] ?? "", /^[A-Z]+(?:, [A-Z]+)*$/);
  if (status === 401) assert.equal(headers["www-authenticate"], "Bearer");
  if (/^application\/(?:problem\+)?json/.test(type) && body !== undefined && status !== 206)
    checkJson(status, type, body);
}

function checkJson(status: number, type: string, body: string): void {
  const reply = JSON.parse(body) as Record<string, unknown>;
  if (status < 400) return;
  if (type === "application/problem+json") {
    assert.deepEqual([reply["status"], typeof reply["code"]], [status, "string"]);
  } else {
    assert.deepEqual([reply["ok"], reply["value"], typeof reply["error"]], [false, null, "string"]);
  }
}
