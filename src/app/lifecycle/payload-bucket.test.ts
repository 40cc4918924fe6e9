/** An app whose artifacts are in a bucket: configuration, readiness, downloads and the sweep. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { worker } from "../../graphs/definition/definition.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { fakeS3, FAKE_CREDENTIALS, FAKE_REGION, type FakeS3 } from "../../storage/bucket/fake-s3.testkit.ts";
import { recordLog } from "../../testing/log.ts";
import { createApp } from "../app.ts";
import { startObjectSweep } from "./object-sweep.ts";
import { readConfig } from "./config.ts";

const KEY = "operator-key-of-this-test";
const HOUR_MS = 3_600_000;

describe("an app with a bucket for payloads", () => {
  let s3: FakeS3;
  before(async () => void (s3 = await fakeS3()));
  after(() => s3.close());

  const env = (): Record<string, string> => ({
    SVC_PAYLOAD_BUCKET: `${s3.origin}/payloads/app?region=${FAKE_REGION}`,
    AWS_ACCESS_KEY_ID: FAKE_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: FAKE_CREDENTIALS.secretAccessKey,
  });

  it("is ready once the bucket has answered, and serves artifacts from it", async () => {
    const content = "x".repeat(300_000);
    const dump = worker("dump", async (_: Json, ctx) => ctx.artifact("all.txt", content, "text/plain"));
    const own = { ...env(), SVC_DATABASE_URL: "memory:", SVC_EXEC_API_KEY: KEY, SVC_SECRET: "s".repeat(32) };
    const clock = new SimulatedClock();
    const app = createApp({ env: own, workers: [dump], log: recordLog() });
    await app.boot({ clock });
    const get = async (path: string): Promise<Response> =>
      app.fetch(new Request(`http://localhost:3000${path}`, { headers: { authorization: `Bearer ${KEY}` } }));
    s3.intercept = () => ({ status: 403, code: "AccessDenied" });
    assert.deepEqual(
      [(await get("/ready")).status, await (await get("/ready")).text()],
      [503, "not ready: svc-bucket"],
    );
    s3.intercept = undefined;
    await clock.advance(1000);
    assert.equal((await get("/ready")).status, 200);
    const { snapshot } = await app.engine.start("dump", null);
    await app.engine.idle();
    const response = await get(`/_svc/graphs/${snapshot.graph_id}/artifacts/all.txt`);
    assert.equal(await response.text(), content);
    // The last part is small.
    assert.equal(s3.objects.size, 1);
    assert.equal([...s3.objects.values()][0]?.data.byteLength, 262_144);
    await app.close();
  });

  it("does not boot without credentials and region, and reports all that is missing", () => {
    const { SVC_PAYLOAD_BUCKET = "" } = env();
    assert.throws(() => readConfig({ SVC_PAYLOAD_BUCKET: SVC_PAYLOAD_BUCKET.split("?")[0] }), {
      code: "SVC_CONFIG",
      message: /AWS_ACCESS_KEY_ID is not set[^]*AWS_SECRET_ACCESS_KEY is not set[^]*AWS_REGION is not set/,
    });
    assert.throws(() => readConfig({ ...env(), SVC_PAYLOAD_BUCKET: "https://s3.example/b" }), {
      message: /SVC_PAYLOAD_BUCKET must name a bucket and a prefix/,
    });
    const region = { SVC_PAYLOAD_BUCKET: `${s3.origin}/payloads/app`, AWS_REGION: "eu-2", AWS_SESSION_TOKEN: "t" };
    const { payloadBucket } = readConfig({ ...env(), ...region });
    assert.deepEqual([payloadBucket?.region, payloadBucket?.sessionToken], ["eu-2", "t"]);
  });

  it("sweeps an hour after the start and then daily, also after a failure, until it closes", async () => {
    const [clock, log, closing] = [new SimulatedClock(), recordLog(), new AbortController()];
    let sweeps = 0;
    const sweepObjects = async (): Promise<number> => {
      if (++sweeps === 1) throw new Error("the bucket is down");
      return 2;
    };
    startObjectSweep({ sweepObjects }, clock, log, closing.signal);
    await clock.advance(HOUR_MS - 1);
    assert.equal(sweeps, 0);
    await clock.advance(1);
    await clock.advance(24 * HOUR_MS);
    assert.equal(sweeps, 2);
    assert.deepEqual(
      log.entries.map(({ level }) => level),
      ["error", "info"],
    );
    closing.abort();
    assert.equal(clock.pending, 0);
  });
});
