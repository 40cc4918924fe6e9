/** What visitors may send. */
import { redirect } from "svckit";
import { href, submit } from "svckit/fullstack";
import * as v from "valibot";
import app from "../app.ts";

const order = v.object({
  tea: v.pipe(v.string(), v.nonEmpty("Say which tea")),
  cups: v.pipe(
    v.number("Write a number"),
    v.integer("Whole cups only"),
    v.minValue(1, "One cup at least"),
    v.maxValue(12, "The pot holds 12 cups"),
  ),
});

/** Starts a graph, and leads to the page that shows it. */
export const orderTea = submit("order-tea", { schema: order, fields: { cups: "number" } }, async (input) => {
  const { snapshot } = await app.engine.start("tea", input);
  redirect(href("/orders/[id]", { id: snapshot.graph_id }));
});
