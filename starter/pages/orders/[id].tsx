/** `/orders/[id]`: one order as it stands, live where script runs. Whoever knows its id may look: ids are 26 random characters. */
import { notFound } from "svckit";
import {
  EventStream,
  FlowAssets,
  FlowGraph,
  readEvents,
  readFlow,
  type LoadContext,
  type PageProps,
} from "svckit/fullstack";
import app from "../../app.ts";

export const load = async ({ params: { id } }: LoadContext<"/orders/[id]">) => {
  const [flow, log] = await Promise.all([readFlow(app, id), readEvents(app, id)]);
  return flow && log ? { flow, log } : notFound("There is no such order");
};

export const head = { title: "Your order", robots: { index: false } };

export default function OrderPage({ data, ctx }: PageProps<typeof load>) {
  return (
    <>
      <FlowAssets nonce={ctx.nonce} />
      <h1>Your order</h1>
      <noscript>
        <p>Load the page again to see how far it is.</p>
      </noscript>
      <FlowGraph flow={data.flow} title="Progress" />
      <EventStream log={data.log} />
      <p>
        <a href="/">Order another</a>
      </p>
    </>
  );
}
