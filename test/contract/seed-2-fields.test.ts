/** Seed section 2: resources and their fields. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { createReceiver } from "svckit/testing";
import { OPERATOR, withFixture } from "./app.ts";
import { LOOPBACK, operate, payloadOf, received, SECRET, SIGNED, until, withReceiver } from "./calls.ts";
import { describeBothAdapters } from "./both-adapters.ts";

describeBothAdapters(
  "a webhook registration",
  (site) => {
    const register = (body: unknown) => operate(site, "POST", "/_svc/webhooks", body);

    it("url: string (absolute HTTP/HTTPS URL), required", async () => {
      for (const url of ["http://93.184.216.34/a", "https://93.184.216.34/b"])
        assert.equal((await register({ url })).status, 201);
      for (const url of ["/relative", "//93.184.216.34/", "ftp://93.184.216.34/", "", 7, null, undefined])
        assert.equal((await register({ url })).status, 422, String(url));
    });

    it("url: Checked against SSRF rules", async () => {
      const { status, reply } = await register({ url: "http://10.0.0.1/" });
      assert.deepEqual([status, reply["code"]], [422, "SVC_SSRF"]);
    });

    it("url: Redirects are not followed", async () => {
      const remoteNodes = await createReceiver();
      try {
        await withReceiver(site, async (receiver) => {
          receiver.reply({ status: 307, headers: { location: remoteNodes.url } }, 204);
          await site.app.engine.start("double", { value: 1 });
          const [delivery] = await received(receiver, 1);
          const id = String(delivery?.headers["x-svc-delivery"]);
          await until(async () => {
            const { reply } = await operate(site, "GET", `/_svc/deliveries/${id}`);
            return (reply["attempts"] as unknown[]).length > 0;
          }, "the attempt's record");
          assert.equal(remoteNodes.deliveries.length, 0);
        });
      } finally {
        await remoteNodes.close();
      }
    });

    it("events: array of strings, sent in the registration request", async () => {
      const { reply } = await register({ url: "https://93.184.216.34/c", events: ["graph.done", "graph.paused"] });
      assert.deepEqual(reply["events"], ["graph.done", "graph.paused"]);
      assert.equal((await register({ url: "https://93.184.216.34/c", events: "graph.done" })).status, 422);
    });

    it("events: Allowed values: graph.done, graph.failed, graph.paused", async () => {
      for (const event of ["graph.done", "graph.failed", "graph.paused"])
        assert.equal((await register({ url: "https://93.184.216.34/c", events: [event] })).status, 200, event);
      for (const event of ["graph.started", "ping", "GRAPH.DONE", "", 1, null])
        assert.equal((await register({ url: "https://93.184.216.34/c", events: [event] })).status, 422, String(event));
    });
  },
  LOOPBACK,
);

describeBothAdapters(
  "a webhook payload",
  (site) => {
    /** The payload of a graph that completes now. */
    async function payload(): Promise<{ fields: Record<string, unknown>; beganMs: number }> {
      const beganMs = Date.now();
      let fields: Record<string, unknown> = {};
      await withReceiver(site, async (receiver) => {
        await site.app.engine.start("sum", { value: 4 });
        fields = payloadOf((await received(receiver, 1))[0]);
      });
      return { fields, beganMs };
    }

    it("event: string, One of the event names in section 6", async () => {
      assert.equal((await payload()).fields["event"], "graph.done");
    });
    it("graph_id: string, Graph identifier; starts with g_", async () => {
      assert.match(String((await payload()).fields["graph_id"]), /^g_/);
    });
    it("worker: string, Name of the worker that ran the graph", async () => {
      assert.equal((await payload()).fields["worker"], "sum");
    });
    it("status: string, For graph.done the value is done", async () => {
      assert.equal((await payload()).fields["status"], "done");
    });
    it("timestamp_ms: integer, Unix time in milliseconds", async () => {
      const { fields, beganMs } = await payload();
      assert.ok(Number.isInteger(fields["timestamp_ms"]));
      assert.ok(Number(fields["timestamp_ms"]) >= beganMs && Number(fields["timestamp_ms"]) <= Date.now());
    });
    it("duration_ms: integer, Duration in milliseconds", async () => {
      const { fields, beganMs } = await payload();
      assert.ok(Number.isInteger(fields["duration_ms"]));
      assert.ok(Number(fields["duration_ms"]) >= 0 && Number(fields["duration_ms"]) <= Date.now() - beganMs);
    });
    it("result: JSON object, Result of the graph", async () => {
      assert.deepEqual((await payload()).fields["result"], { value: 9 });
    });
  },
  SIGNED,
);

const listed = async (env: Record<string, string>): Promise<string[]> => {
  let urls: string[] = [];
  await withFixture(async ({ client }) => {
    const { webhooks } = (await (await client.get("/_svc/webhooks", OPERATOR)).json()) as {
      webhooks: { url: string }[];
    };
    urls = webhooks.map(({ url }) => url).sort();
  }, env);
  return urls;
};

it("SVC_WEBHOOK_URLS: Comma-separated list of URLs registered at boot", async () => {
  const env = { ...LOOPBACK, SVC_WEBHOOK_URLS: "http://127.0.0.1:8099/a, http://127.0.0.1:8099/b" };
  assert.deepEqual(await listed(env), ["http://127.0.0.1:8099/a", "http://127.0.0.1:8099/b"]);
  assert.deepEqual(await listed({}), []);
});

it("SVC_WEBHOOK_SECRET: Shared secret used to sign payloads; a random 32-byte hex string is suggested", async () => {
  const secret = "9f".repeat(32);
  await withFixture(
    async (fixture) => {
      await withReceiver(fixture, async (receiver) => {
        await fixture.app.engine.start("double", { value: 1 });
        const [delivery] = await received(receiver, 1);
        const { createHmac } = await import("node:crypto");
        const expected = createHmac("sha256", secret)
          .update(delivery?.body ?? "")
          .digest("hex");
        assert.equal(delivery?.headers["x-svc-signature"], `sha256=${expected}`);
      });
    },
    { ...LOOPBACK, SVC_WEBHOOK_SECRET: secret },
  );
});

describeBothAdapters(
  "the operator's key",
  (site) => {
    it("SVC_EXEC_API_KEY: API key that authorizes webhook registration over HTTP", async () => {
      const ask = async (key: string): Promise<number> =>
        (await site.send("/_svc/webhooks", { headers: { authorization: `Bearer ${key}` } })).status;
      assert.equal(await ask("another-operator-key"), 200);
      assert.equal(await ask("operator-key"), 401);
    });
  },
  { SVC_EXEC_API_KEY: "another-operator-key", SVC_WEBHOOK_SECRET: SECRET },
);

describeBothAdapters("a server action call", (site) => {
  it("args: array, Positional arguments of the action", async () => {
    assert.deepEqual((await site.client.action("echo", 1, "two", [3])).reply.value, [1, "two", [3]]);
  });
  it("ok: boolean", async () => {
    assert.equal((await site.client.action("echo")).reply.ok, true);
    assert.equal((await site.client.action("throws")).reply.ok, false);
  });
  it("value: any JSON or null, Null on failure", async () => {
    for (const value of [null, true, 1.5, "ü", [], { a: [null] }])
      assert.deepEqual((await site.client.action("echo", value)).reply.value, [value]);
    assert.equal((await site.client.action("nothing")).reply.value, null);
    assert.equal((await site.client.action("throws")).reply.value, null);
  });
  it("error: string or null, Null on success", async () => {
    assert.equal((await site.client.action("echo")).reply.error, null);
    assert.equal((await site.client.action("never")).reply.error, "Forbidden");
  });
});
