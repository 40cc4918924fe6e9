/** Handles the forms of the app. */
import { redirect } from "svckit";
import { href, submit } from "svckit/fullstack";
import * as v from "valibot";
import app from "../app.ts";

const order = v.object({
  tea: v.pipe(v.string(), v.nonEmpty("Choose a tea")),
  cups: v.pipe(
    v.number("Enter a number"),
    v.integer("Whole cups only"),
    v.minValue(1, "At least one cup"),
    v.maxValue(12, "The pot holds 12 cups"),
  ),
});

/** Starts a graph and redirects to its page. */
export const orderTea = submit("order-tea", { schema: order, fields: { cups: "number" } }, async (input) => {
  const { snapshot } = await app.engine.start("tea", input);
  redirect(href("/orders/[id]", { id: snapshot.graph_id }));
});
