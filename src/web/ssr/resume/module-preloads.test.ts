import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modulePreloads, type ScopeModules } from "./module-preloads.ts";

function module(own: string[], slots: number[], all = own): ScopeModules {
  return { own, all, slots };
}

/** Scopes 1, 2, … each of a module of its own, capturing the values given. */
function scopesOf(...slots: number[][]): Map<number, ScopeModules> {
  return new Map(slots.map((own, at) => [at + 1, module([`m${at + 1}`], own)]));
}

describe("what a scope's handlers may set off", () => {
  it("is the code of the scopes that show its values, and of what those set off in turn", () => {
    // 1 writes value 0, which 2 shows; 2 may write value 1, which 3 shows.
    const needs = modulePreloads(scopesOf([0], [0, 1], [1]), [new Set([2]), new Set([3])]);
    assert.deepEqual(needs, { 1: ["m2", "m3"], 2: ["m3"] });
  });

  it("ends where values go round in a circle", () => {
    const needs = modulePreloads(scopesOf([0, 1], [0, 1]), [new Set([1]), new Set([2])]);
    assert.deepEqual(needs, { 1: ["m2"], 2: ["m1"] });
  });

  it("holds what a scope's values turned out to need, for it and for whoever sets it off", () => {
    const scopes = new Map([
      [1, module(["a"], [0])],
      [2, module(["b"], [0], ["b", "data"])],
    ]);
    assert.deepEqual(modulePreloads(scopes, [new Set([2])]), { 1: ["b", "data"], 2: ["data"] });
  });

  it("is nothing for scopes that share no value or the code", () => {
    const scopes = new Map([
      [1, module(["m"], [0])],
      [2, module(["m"], [0])],
    ]);
    assert.deepEqual(modulePreloads(scopes, [new Set([2])]), {});
    assert.deepEqual(modulePreloads(scopesOf([0], [1]), [new Set([1]), new Set([2])]), {});
  });
});
