import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { ChurningMap } from "./churning-map.ts";

const key = fc.constantFrom("a", "b", "c", "d");
const step = fc.oneof(
  fc.record({ do: fc.constant("set" as const), key, value: fc.integer() }),
  fc.record({ do: fc.constant("delete" as const), key }),
  fc.record({ do: fc.constant("clear" as const) }),
);

it("a churning map has the content and order of a Map, for any sequence of changes", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const [map, model] = [new ChurningMap<number>(), new Map<string, number>()];
      for (const each of steps) {
        if (each.do === "set") map.set(each.key, each.value);
        else if (each.do === "delete") map.delete(each.key);
        else map.clear();
        if (each.do === "set") model.set(each.key, each.value);
        else if (each.do === "delete") model.delete(each.key);
        else model.clear();
        assert.deepEqual([...map.keys()], [...model.keys()]);
        assert.deepEqual([...map.values()], [...model.values()]);
        assert.equal(map.size, model.size);
        for (const name of ["a", "b", "c", "d"])
          assert.deepEqual([map.has(name), map.get(name)], [model.has(name), model.get(name)]);
      }
    }),
  );
});

it("a churning map can be iterated while its keys are deleted", () => {
  const map = new ChurningMap<number>();
  for (const name of ["a", "b", "c"]) map.set(name, name.charCodeAt(0));
  const seen: string[] = [];
  for (const name of map.keys()) {
    seen.push(name);
    map.delete(name === "a" ? "b" : name);
  }
  assert.deepEqual(seen, ["a", "c"]);
  assert.deepEqual([...map.values()], [97]);
});
