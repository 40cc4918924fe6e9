import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HIDDEN_VALUE, keptHeaders, type ResponseHeaders } from "./response-headers.ts";

/** Headers as the connection returns them. */
const kept = (headers: Readonly<Record<string, string | readonly string[]>>): ResponseHeaders =>
  keptHeaders(Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value])));

describe("the stored headers of a response", () => {
  it("are kept unchanged if they describe the response", () => {
    const headers = {
      "content-type": "text/plain",
      "retry-after": "30",
      "x-request-id": "req_7",
      "www-authenticate": "Basic",
    };
    assert.deepEqual(kept(headers), headers);
  });

  it("contain no credentials, but only the names of cookies and tokens", () => {
    const names =
      "set-cookie authorization proxy-authorization authentication-info x-csrf-token x-amz-security-token x-api-key x-session-id x-hub-signature-256".split(
        " ",
      );
    const shown = kept(Object.fromEntries(names.map((name) => [name, ["planted-1", "planted-2"]])));
    assert.deepEqual(shown, Object.fromEntries(names.map((name) => [name, HIDDEN_VALUE])));
  });

  it("contain URLs without their query, which may contain a token", () => {
    const shown = kept({
      location: "https://else.example/in?token=planted&x=1",
      link: '<https://a.example/?key=planted>; rel="next", <https://b.example/>',
    });
    assert.deepEqual(shown, {
      location: `https://else.example/in?${HIDDEN_VALUE}`,
      link: `<https://a.example/?${HIDDEN_VALUE}>; rel="next", <https://b.example/>`,
    });
  });

  it("contain URLs without fragment, query and user info, which may contain credentials", () => {
    for (const [address, shown] of [
      ["https://x.example/cb#access_token=planted", `https://x.example/cb#${HIDDEN_VALUE}`],
      ["https://x.example/cb?a=1;token=planted,planted", `https://x.example/cb?${HIDDEN_VALUE}`],
      ["https://user:planted@x.example/a", `https://${HIDDEN_VALUE}@x.example/a`],
      ["//user:pl@nted@x.example/@a", `//${HIDDEN_VALUE}@x.example/@a`],
      ["https://x.example/@a", "https://x.example/@a"],
    ] as const)
      assert.deepEqual(kept({ location: address }), { location: shown });
  });

  it("are joined if a name occurs several times", () => {
    assert.deepEqual(kept({ vary: ["accept", "origin"] }), { vary: "accept, origin" });
  });

  it("are limited in number, length and total size", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x-${at}`, "1"]));
    assert.equal(Object.keys(kept(many)).length, 32);
    assert.equal(kept({ "x-long": "y".repeat(10_000) })["x-long"]?.length, 512 - "x-long".length + 1);
    const long = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x-${at}`, "z".repeat(10_000)]));
    assert.ok(JSON.stringify(kept(long)).length < 4500);
    assert.deepEqual(kept({ ["n".repeat(600)]: "1", "x-after": "2" }), { "x-after": "2" });
  });

  it("keep names that are also properties of objects", () => {
    const shown = kept(JSON.parse('{"__proto__":"1","constructor":"2"}') as Record<string, string>);
    assert.equal(JSON.stringify(shown), '{"__proto__":"1","constructor":"2"}');
  });
});
