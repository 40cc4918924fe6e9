/**
 * The graph `tea`: boil, then pour once for each cup, then serve. Each result is stored on disk: stop the server during an order
 * and start it again, and the order resumes.
 */
import { graph, worker } from "svckit/graph";

export interface Order {
  tea: string;
  cups: number;
}

interface Cup {
  tea: string;
  number: number;
}

const boil = worker("boil", async (order: Order, ctx): Promise<Cup[]> => {
  await ctx.sleep("1s");
  ctx.log("info", "the water boils");
  return Array.from({ length: order.cups }, (_, at) => ({ tea: order.tea, number: at + 1 }));
});

/** Runs concurrently for all cups; a failed cup is retried. */
const pour = worker("pour", { retry: { max: 3 } }, async (cup: Cup, ctx): Promise<string> => {
  await ctx.sleep("500ms");
  ctx.log("info", `cup ${cup.number} is poured`);
  return `a cup of ${cup.tea}`;
});

const serve = worker("serve", (done: { pour: string[] }, ctx): string => {
  ctx.log("info", `served: ${done.pour.length}`);
  return `Here you are: ${done.pour.join(", ")}`;
});

export const tea = graph<Order, string>("tea", (g) => {
  const cups = g.node("boil", boil);
  const poured = g.map("pour", pour, cups, (list) => list);
  return g.node("serve", serve, { after: [poured] });
});
