/** A typical action: a schema validates an object. */
import { action } from "svckit";
import { number, object, string } from "valibot";

export const addUp = action(object({ a: number(), b: number(), name: string() }), ({ a, b, name }) => ({
  sum: a + b,
  name,
}));
