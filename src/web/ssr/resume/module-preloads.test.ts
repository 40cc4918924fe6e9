import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modulePreloads, type ScopeModules } from "./module-preloads.ts";

function module(own: string[], slots: number[], all = own): ScopeModules {
  return { own, all, slots };
}

/** Scopes 1, 2, …, each with its own module and the given captured values. */
function scopesOf(...slots: number[][]): Map<number, ScopeModules> {
  return new Map(slots.map((own, at) => [at + 1, module([`m${at + 1}`], own)]));
}

describe("the module preloads of a scope", () => {
  it("contain the code of scopes that show its values, transitively", () => {
    // 1 writes value 0, which 2 shows; 2 may write value 1, which 3 shows.
    const needs = modulePreloads(scopesOf([0], [0, 1], [1]), [new Set([2]), new Set([3])]);
    assert.deepEqual(needs, { 1: ["m2", "m3"], 2: ["m3"] });
  });

  it("are found if scopes write each other's values in a cycle", () => {
    const needs = modulePreloads(scopesOf([0, 1], [0, 1]), [new Set([1]), new Set([2])]);
    assert.deepEqual(needs, { 1: ["m2"], 2: ["m1"] });
  });

  it("contain modules for serialized values, of the scope itself and of scopes it wakes", () => {
    const scopes = new Map([
      [1, module(["a"], [0])],
      [2, module(["b"], [0], ["b", "data"])],
    ]);
    assert.deepEqual(modulePreloads(scopes, [new Set([2])]), { 1: ["b", "data"], 2: ["data"] });
  });

  it("are empty for scopes without shared values, or with the same code", () => {
    const scopes = new Map([
      [1, module(["m"], [0])],
      [2, module(["m"], [0])],
    ]);
    assert.deepEqual(modulePreloads(scopes, [new Set([2])]), {});
    assert.deepEqual(modulePreloads(scopesOf([0], [1]), [new Set([1]), new Set([2])]), {});
  });
});
