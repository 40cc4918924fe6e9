/** Seed section 6: events and their delivery. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { it } from "node:test";
import { createReceiver } from "svckit/testing";
import { LOOPBACK, operate, payloadOf, received, SECRET, SIGNED, textOf, until, withReceiver } from "./calls.ts";
import { describeBothAdapters, type Site } from "./both-adapters.ts";

async function begin(site: Site, name: string, more: object = {}): Promise<string> {
  const { reply } = await operate(site, "POST", "/_svc/graphs", { worker: name, input: { value: 1 }, ...more });
  return textOf(reply, "graph_id");
}

/** Waits until the first attempt of a delivery is recorded. */
const untilTried = (site: Site, id: string): Promise<void> =>
  until(async () => {
    const { reply } = await operate(site, "GET", `/_svc/deliveries/${id}`);
    return Number(reply["attempt_count"]) > 0;
  }, "the attempt's record");

describeBothAdapters(
  "events",
  (site) => {
    it("graph.done: A graph completes successfully", () =>
      withReceiver(site, async (receiver) => {
        const id = await begin(site, "double");
        const payload = payloadOf((await received(receiver, 1))[0]);
        assert.deepEqual([payload["event"], payload["graph_id"]], ["graph.done", id]);
      }));

    it("graph.failed: A worker errors or an operator cancels the graph", () =>
      withReceiver(site, async (receiver) => {
        await begin(site, "broken");
        assert.equal(payloadOf((await received(receiver, 1))[0])["event"], "graph.failed");
        await operate(site, "POST", `/_svc/graphs/${await begin(site, "held")}/cancel`);
        assert.equal(payloadOf((await received(receiver, 2))[1])["event"], "graph.failed");
      }));

    it("graph.paused: A graph is paused cooperatively", () =>
      withReceiver(site, async (receiver) => {
        const id = await begin(site, "double", { delay_ms: 60_000 });
        await operate(site, "POST", `/_svc/graphs/${id}/pause`);
        assert.equal(payloadOf((await received(receiver, 1))[0])["event"], "graph.paused");
      }));

    it("Each delivery is an HTTP POST to the registered URL with Content-Type: application/json and the payload from section 2", () =>
      withReceiver(site, async (receiver) => {
        await begin(site, "double");
        const [delivery] = await received(receiver, 1);
        assert.equal(delivery?.headers["content-type"], "application/json");
        assert.deepEqual(Object.keys(payloadOf(delivery)), [
          "event",
          "graph_id",
          "worker",
          "status",
          "timestamp_ms",
          "duration_ms",
          "result",
        ]);
      }));

    it("A registration with an events list receives only the listed events", () =>
      withReceiver(
        site,
        async (failures) =>
          withReceiver(site, async (all) => {
            await begin(site, "double");
            await received(all, 1);
            await begin(site, "broken");
            const [only] = await received(failures, 1);
            await received(all, 2);
            assert.equal(payloadOf(only)["event"], "graph.failed");
            assert.equal(failures.deliveries.length, 1);
          }),
        { events: ["graph.failed"] },
      ));

    it("When SVC_WEBHOOK_SECRET is set, the request carries X-Svc-Signature: sha256=<hex>", () =>
      withReceiver(site, async (receiver) => {
        await begin(site, "double");
        const [delivery] = await received(receiver, 1);
        const digest = createHmac("sha256", SECRET)
          .update(delivery?.body ?? "")
          .digest("hex");
        assert.equal(delivery?.headers["x-svc-signature"], `sha256=${digest}`);
      }));

    it("HTTP redirects are disabled: a redirect response is not followed", async () => {
      const remoteNodes = await createReceiver();
      try {
        for (const status of [301, 302, 303, 307, 308])
          await withReceiver(site, async (receiver) => {
            receiver.reply({ status, headers: { location: remoteNodes.url } });
            await begin(site, "double");
            const [delivery] = await received(receiver, 1);
            await untilTried(site, String(delivery?.headers["x-svc-delivery"]));
            assert.equal(remoteNodes.deliveries.length, 0, String(status));
          });
      } finally {
        await remoteNodes.close();
      }
    });
  },
  SIGNED,
);

describeBothAdapters(
  "without a secret",
  (site) => {
    it("there is no X-Svc-Signature", () =>
      withReceiver(site, async (receiver) => {
        await begin(site, "double");
        const [delivery] = await received(receiver, 1);
        assert.equal(delivery?.headers["x-svc-signature"], undefined);
      }));
  },
  LOOPBACK,
);

describeBothAdapters("addresses inside the network", (site) => {
  it("Outbound URLs are checked for SSRF; a URL that fails the check is not called", async () => {
    const receiver = await createReceiver();
    try {
      const { status, reply } = await operate(site, "POST", "/_svc/webhooks", { url: receiver.url });
      assert.deepEqual([status, reply["code"]], [422, "SVC_SSRF"]);
      await begin(site, "double");
      await site.app.engine.idle();
      assert.equal(receiver.deliveries.length, 0);
    } finally {
      await receiver.close();
    }
  });
});
