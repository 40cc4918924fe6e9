import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../shared/errors.ts";
import { describeError, errorProblem, json, redirectTo } from "./response.ts";

const CTX = { requestId: "req-1" };

describe("the response to an error", () => {
  it("contains only the request id for a server error in production", () => {
    const reported = [new Error("secret"), new SvcError("SVC_STORE", "secret"), "secret", undefined, { secret: 1 }];
    const described = reported.map((error) => describeError(error, CTX, false));
    for (const { detail } of described) assert.equal(detail, "Something failed on our side. Request id: req-1");
    // A store that cannot write may work again later.
    assert.deepEqual(
      described.map(({ status }) => status),
      [500, 503, 500, 500, 500],
    );
  });

  it("contains all details, including the stack, in development", () => {
    const { code, detail } = describeError(new Error("what broke"), CTX, true);
    assert.equal(code, "SVC_INTERNAL");
    assert.match(detail, /what broke\n\s+at .*response\.test/);
    assert.equal(describeError("thrown text", CTX, true).detail, "thrown text");
  });

  it("contains the message of a client error in any mode", () => {
    for (const isDevelopment of [true, false]) {
      const reported = describeError(new SvcError("SVC_INVALID", "age is no number"), CTX, isDevelopment);
      assert.deepEqual(reported, { status: 422, code: "SVC_INVALID", detail: "age is no number" });
    }
  });
});

describe("responses", () => {
  it("with JSON, problems and redirects are not cached", () => {
    for (const { headers } of [json(1), redirectTo("/"), errorProblem(new Error("x"), CTX, false)]) {
      const at = headers.indexOf("cache-control");
      assert.equal(headers[at + 1], "no-store");
    }
  });
});
