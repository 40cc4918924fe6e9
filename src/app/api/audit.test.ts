import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Context } from "../../platform/http/types.ts";
import type { LogFields } from "../../platform/shared/log.ts";
import type { Services } from "../services.ts";
import { audited } from "./audit.ts";

/** A request of an operator, in an app whose store rejects audit rows. */
function failing() {
  const logged: LogFields[] = [];
  const services = {
    store: { audit: { add: () => Promise.reject(new Error("disk full")) } },
    clock: { now: () => 1000 },
    operatorAccess: { isKey: (text: string) => text === "key" },
    log: { error: (fields: LogFields) => logged.push(fields) },
  } as unknown as Services;
  const ctx = { params: { id: "wh_1" }, clientIp: "127.0.0.1", header: () => "Bearer key" } as unknown as Context;
  return { services, ctx, logged };
}

describe("an operator's change", () => {
  it("succeeds and is logged if the audit trail can't be written", async () => {
    const { services, ctx, logged } = failing();
    const done = { status: 200, body: "the new secret" };
    assert.equal(await audited(services, "webhook.rotate-secret")(ctx, async () => done as never), done);
    const { operation, target } = (logged[0]?.["audit"] ?? {}) as { operation?: string; target?: string };
    assert.deepEqual({ operation, target }, { operation: "webhook.rotate-secret", target: "wh_1" });
  });
});
