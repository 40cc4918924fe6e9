import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { errorMessage, errorOf } from "./remote/thread-messages.ts";
import { originOf } from "./error-origin.ts";

const ROOT = "/srv/app";

function thrownAt(message: string, lines: readonly string[], options?: ErrorOptions): Error {
  const error = new Error(message, options);
  error.stack = [`Error: ${message}`, ...lines.map((line) => `    at ${line}`)].join("\n");
  return error;
}

describe("the origin of an error", () => {
  for (const [what, call, place] of [
    ["a function", "charge (/srv/app/src/charge.ts:12:9)", "src/charge.ts:12:9"],
    ["no function", "/srv/app/src/charge.ts:12:9", "src/charge.ts:12:9"],
    ["a file's address", "async Object.run (file:///srv/app/src/my%20own.ts:3:1)", "src/my own.ts:3:1"],
  ] as const)
    it(`is the file within the folder of the app: ${what}`, () => {
      assert.deepEqual(originOf(thrownAt("no", [call]), ROOT), { causes: [], place });
    });

  it("is the first call in the app's own code, not in Node, a package or another folder", () => {
    const calls = [
      "node:internal/deps/undici/undici:13510:13",
      "query (/srv/app/node_modules/pg/lib/client.js:1:2)",
      "load (/srv/application/other.js:1:2)",
      "new Promise (<anonymous>)",
      "save (/srv/app/src/save.ts:7:3)",
      "main (/srv/app/src/main.ts:1:1)",
    ];
    assert.equal(originOf(thrownAt("no", calls), ROOT)?.place, "src/save.ts:7:3");
  });

  it("is not read from an error message", () => {
    assert.equal(originOf(thrownAt("no\n    at /srv/app/src/forged.ts:1:1", []), ROOT), undefined);
  });

  it("is the origin of its cause if its own stack has none", () => {
    const cause = thrownAt("refused", ["connect (/srv/app/src/connect.ts:4:2)"]);
    assert.equal(originOf(thrownAt("no", ["node:net:1:1"], { cause }), ROOT)?.place, "src/connect.ts:4:2");
  });

  it("is unknown if the process runs in the root folder, because every path would match", () => {
    assert.equal(originOf(thrownAt("no", ["run (/srv/app/src/run.ts:1:1)"]), "/"), undefined);
  });
});

describe("the causes of an error", () => {
  it("are listed in order with their codes, and all for several causes at once", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const both = new AggregateError([refused, new TypeError("second")], "both failed", { cause: "a text" });
    const error = new Error("no luck", { cause: both });
    error.stack = "";
    assert.deepEqual(originOf(error, ROOT)?.causes, [
      "AggregateError: both failed",
      "Error: connect (ECONNREFUSED)",
      "TypeError: second",
      "a text",
    ]);
  });

  it("are limited to eight, 300 characters each, and stop at a cycle", () => {
    const circle = new Error("round");
    circle.cause = new Error("and", { cause: circle });
    assert.deepEqual(originOf(circle, ROOT)?.causes, ["Error: and"]);
    const deep = Array.from({ length: 50 }).reduce<Error>((cause) => new Error("y".repeat(999), { cause }), circle);
    const causes = originOf(deep, ROOT)?.causes ?? [];
    assert.equal(causes.length, 8);
    assert.deepEqual([...new Set(causes.map((cause) => cause.length))], [301]);
  });

  it("are empty if reading them throws, or if the value is not an error", () => {
    const hostile = Object.defineProperty(new Error("no"), "cause", {
      get: () => {
        throw new Error("planted");
      },
    });
    assert.equal(originOf(hostile, ROOT), undefined);
    assert.equal(originOf("a text", ROOT), undefined);
  });

  it("are passed on from a thread", () => {
    const error = thrownAt("no", ["run (file:///elsewhere/run.ts:1:1)"], { cause: new Error("why") });
    const { origin } = errorMessage(error);
    assert.deepEqual(origin?.causes, ["Error: why"]);
    assert.deepEqual(originOf(errorOf({ ...errorMessage(error), origin })), origin);
  });
});
