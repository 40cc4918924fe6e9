import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../shared/errors.ts";
import { describeError, errorProblem, json, redirectTo } from "./response.ts";

const CTX = { requestId: "req-1" };

describe("what an error tells", () => {
  it("in production is nothing but the request id, where the fault is ours", () => {
    const reported = [new Error("secret"), new SvcError("SVC_STORE", "secret"), "secret", undefined, { secret: 1 }];
    for (const error of reported) {
      const { status, detail } = describeError(error, CTX, false);
      assert.deepEqual([status, detail], [500, "Something failed on our side. Request id: req-1"]);
    }
  });

  it("in development is all, stack included", () => {
    const { code, detail } = describeError(new Error("what broke"), CTX, true);
    assert.equal(code, "SVC_INTERNAL");
    assert.match(detail, /what broke\n\s+at .*response\.test/);
    assert.equal(describeError("thrown text", CTX, true).detail, "thrown text");
  });

  it("is its message everywhere, where the mistake is the caller's", () => {
    for (const isDevelopment of [true, false]) {
      const reported = describeError(new SvcError("SVC_INVALID", "age is no number"), CTX, isDevelopment);
      assert.deepEqual(reported, { status: 422, code: "SVC_INVALID", detail: "age is no number" });
    }
  });
});

describe("answers", () => {
  it("of JSON, of problems and of redirects are kept by nobody", () => {
    for (const { headers } of [json(1), redirectTo("/"), errorProblem(new Error("x"), CTX, false)]) {
      const at = headers.indexOf("cache-control");
      assert.equal(headers[at + 1], "no-store");
    }
  });
});
