/**
 * A process that `event-kill.test.ts` kills: an app that sends two events for each order, each with an id, and prints a line for each that is
 * acknowledged. Its arguments are the first order and the number of orders; with `end` it waits for all runs and prints them.
 */
import { writeSync } from "node:fs";
import { createApp } from "svckit";
import { event, graph, worker } from "svckit/graph";

interface Order {
  no: number;
}

const placed = event<Order>("order.placed");
const paid = event<Order & { cents: number }>("order.paid");
const pay = worker("pay", async ({ no }: Order, ctx) => {
  const { data } = await ctx.waitForEvent(paid, { match: { no } });
  return data.cents;
});
const order = graph("order", (g) => g.node("pay", pay), { on: placed });

/** Runs to read at a time. */
const PAGE = 200;

const say = (line: string): void => void writeSync(1, `${line}\n`);

if (process.argv[2] !== undefined) {
  const [first = 0, count = 0] = process.argv.slice(2, 4).map(Number);
  const app = createApp({ graphs: [order] });
  await app.boot();
  const { engine } = app;
  say("up");
  for (let no = first; no < count; no++) {
    await engine.send(placed, { no }, { id: `placed-${no}` });
    await engine.send(paid, { no, cents: no * 100 }, { id: `paid-${no}` });
    say(`+${no}`);
  }
  if (process.argv[4] === "end") {
    await engine.idle();
    for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
      const page = await engine.list({ worker: "order", limit: PAGE, ...(cursor !== undefined && { cursor }) });
      for (const { graph_id, input } of page.items)
        say(`= ${(input as unknown as Order).no} ${JSON.stringify(await engine.result(graph_id))}`);
      cursor = page.nextCursor;
    }
    await app.close();
    say("end");
    process.exit(0);
  }
}
