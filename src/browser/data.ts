/** `data.js`: values that plain JSON can't carry, alone, in signals and in stores. For pages that have any. */
import { deserialize } from "../shared/deserialize.ts";
import { Cell, kinds } from "./core.ts";

kinds[4] = deserialize;
kinds[5] = (value: never) => new Cell(deserialize(value));
// A scope that has such a store names the part `store` too.
kinds[6] = (value: never) => kinds[2]!(deserialize(value) as never);
