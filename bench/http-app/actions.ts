/** An action as they usually are: an object that a schema checks. */
import { action } from "svckit";
import { number, object, string } from "valibot";

export const addUp = action(object({ a: number(), b: number(), name: string() }), ({ a, b, name }) => ({
  sum: a + b,
  name,
}));
