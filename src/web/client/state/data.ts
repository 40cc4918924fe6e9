/** `data.js`: values that plain JSON can't represent, alone, in signals and in stores. For pages that have any. */
import { deserialize } from "../../../platform/shared/deserialize.ts";
import { Cell, kinds, pageState, valueAt, values } from "../runtime/core.ts";

const decode = (value: never): unknown => deserialize(value, valueAt);

kinds[4] = decode;
kinds[5] = (value: never) => new Cell(decode(value));
// A scope with such a store also names the part `store`.
kinds[6] = (value: never) => kinds[2]!(decode(value) as never);
// A value that shares objects with other values: one root of an object graph, which is parsed once. It may be part of a store.
kinds[10] = ([graph, root, kind, isPart]: [number, number, number, 1?]) => {
  const entries = pageState().v[graph]![1] as number[][];
  // A function in the graph may capture another root of it, and asks for it while the graph is read. So each root is read on its own.
  const value = deserialize(entries, valueAt, (values[graph] ??= []) as unknown[], entries[0]![root + 1]) as never;
  return kinds[kind]!(isPart ? (kinds[2]!(value) as never) : value);
};
