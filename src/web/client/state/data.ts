/** `data.js`: values that plain JSON can't carry, alone, in signals and in stores. For pages that have any. */
import { deserialize } from "../../../platform/shared/deserialize.ts";
import { Cell, kinds, pageState, values } from "../runtime/core.ts";

kinds[4] = deserialize;
kinds[5] = (value: never) => new Cell(deserialize(value));
// A scope that has such a store names the part `store` too.
kinds[6] = (value: never) => kinds[2]!(deserialize(value) as never);
// One of several values that hold the same objects: root of a graph that is read once. In a store it is a part of the store.
kinds[10] = ([graph, root, kind, isPart]: [number, number, number, 1?]) => {
  const roots = (values[graph] ??= deserialize(pageState().v[graph]![1] as never)) as never[];
  return kinds[kind]!(isPart ? (kinds[2]!(roots[root]!) as never) : roots[root]!);
};
