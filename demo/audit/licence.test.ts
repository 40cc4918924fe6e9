import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { licenceClass } from "./licence.ts";

const cases: [string, string][] = [
  ["MIT", "permissive"],
  ["mit", "permissive"],
  ["MPL-2.0", "weak-copyleft"],
  ["LGPL-3.0-or-later", "weak-copyleft"],
  ["GPL-2.0", "strong-copyleft"],
  ["AGPL-3.0-only", "strong-copyleft"],
  ["(MIT OR GPL-3.0-or-later)", "permissive"],
  ["GPL-3.0 OR LGPL-3.0", "weak-copyleft"],
  ["MIT AND GPL-2.0", "strong-copyleft"],
  ["MIT AND (ISC OR GPL-2.0)", "permissive"],
  ["MIT OR ISC AND GPL-2.0", "permissive"],
  ["GPL-2.0 WITH Classpath-exception-2.0", "strong-copyleft"],
  ["SEE LICENSE IN LICENSE.md", "unknown"],
  ["UNLICENSED", "unknown"],
  ["", "unknown"],
  ["(MIT", "unknown"],
  ["MIT OR", "unknown"],
  ["MIT )", "unknown"],
];

describe("The class of the licence expression", () => {
  for (const [expression, expected] of cases) {
    it(`"${expression}" is ${expected}`, () => assert.equal(licenceClass(expression), expected));
  }
});
