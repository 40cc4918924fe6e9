/** `/orders/[id]`: one order with live progress. The unguessable id (26 random characters) grants access. */
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
  return flow && log ? { flow, log } : notFound("This order does not exist");
};

export const head = { title: "Your order", robots: { index: false } };

export default function OrderPage({ data, ctx }: PageProps<typeof load>) {
  return (
    <>
      <FlowAssets nonce={ctx.nonce} />
      <h1>Your order</h1>
      <noscript>
        <p>Reload the page to see the progress.</p>
      </noscript>
      <FlowGraph flow={data.flow} title="Progress" />
      <EventStream log={data.log} />
      <p>
        <a href="/">Order another</a>
      </p>
    </>
  );
}
