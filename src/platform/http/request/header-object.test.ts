import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, it } from "node:test";
import fc from "fast-check";
import { headerObject } from "./header-object.ts";

/** Headers as node:http parses them. */
function theirs(flat: string[]): unknown {
  const message = new IncomingMessage(new Socket()) as IncomingMessage & {
    _addHeaderLines(flat: string[], count: number): void;
  };
  message._addHeaderLines(flat, flat.length);
  return message.headers;
}

const NAMES = [
  ..."Host Age ETag Date Cookie Set-Cookie Content-Type Content-Length User-Agent Authorization Referer Accept Origin".split(
    " ",
  ),
  ..."Sec-Fetch-Site X-Svc-CSRF X-Forwarded-For If-None-Match Retry-After Expect Server Location Via Range".split(" "),
  ..."constructor toString __proto__ hasOwnProperty valueOf 1 x-odd".split(" "),
];
const name = fc.constantFrom(...NAMES).chain((of) => fc.constantFrom(of, of.toLowerCase(), of.toUpperCase()));
const value = fc.constantFrom("", "a", "b; c", "d, e", "\xfc");

describe("the header object of a request", () => {
  it("equals that of node:http for repeated names and any spelling", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 12 }), (pairs) => {
        const flat = pairs.flat();
        assert.deepEqual(headerObject(flat), theirs(flat));
      }),
    );
  });

  it("stays equal when there are more names than the cache keeps", () => {
    for (let at = 0; at < 1200; at++) {
      const flat = [`X-Name-${at}`, "a", "Cookie", "b", `x-name-${at}`, "c", "cookie", "d"];
      assert.deepEqual(headerObject(flat), theirs(flat));
    }
  });
});
