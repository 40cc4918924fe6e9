import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DELIVERY_HEADERS, TRACE_HEADERS } from "../../platform/shared/wire.ts";
import { headersProblem } from "./custom-headers.ts";

describe("the custom headers of a registration", () => {
  it("may contain credentials and names of the receiver", () => {
    const headers = { Authorization: "Bearer abc.def", "X-Team": "audits and more", "api_key~1": "!" };
    assert.equal(headersProblem(headers), undefined);
    assert.equal(headersProblem({}), undefined);
  });

  it("can not replace a header of the delivery, in any case", () => {
    const ours = [...Object.values(DELIVERY_HEADERS), ...Object.values(TRACE_HEADERS), "Content-Type", "User-Agent"];
    const connection = [
      "Host",
      "Content-Length",
      "Transfer-Encoding",
      "Connection",
      "Expect",
      "TE",
      "Upgrade",
      "Cookie",
    ];
    const forwarding = ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Proxy-Authorization", "Sec-Fetch-Site"];
    for (const name of [...ours, ...connection, ...forwarding, "X-Svc-Anything", "Webhook-Anything"]) {
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()])
        assert.match(headersProblem({ [spelling]: "x" }) ?? "", /use another name/, spelling);
    }
  });

  it("can not contain control characters in names or values", () => {
    for (const name of ["", "a b", "a:b", "a\r\nb", "ä", "a\0", "x".repeat(101)])
      assert.match(headersProblem({ [name]: "x" }) ?? "", /header name/, JSON.stringify(name));
    for (const value of ["", " x", "x ", "a\r\nHost: b", "a\nb", "a\0b", "ä", "\x7f", "x".repeat(2049), 7, null, ["x"]])
      assert.match(headersProblem({ "X-Team": value }) ?? "", /invalid value/, JSON.stringify(value));
  });

  it("are returned without their values", () => {
    assert.doesNotMatch(headersProblem({ "X-Key": "hunter2\n" }) ?? "", /hunter2/);
  });

  it("are limited to twenty, each once", () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, "1"]));
    assert.match(headersProblem(many) ?? "", /at most 20/);
    assert.match(headersProblem({ "X-Team": "a", "x-team": "b" }) ?? "", /twice/);
  });
});
