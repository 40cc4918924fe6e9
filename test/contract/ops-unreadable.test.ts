/** A run whose input can't be read is not started again with the text that the screens show in its place. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import type { App } from "svckit";
import { localClient, opsSample, runTo } from "./ops-app.ts";

const INPUT = { text: "long ".repeat(1000) };
const UNREADABLE = /\[SVC_BUCKET\] The object app/;

describe("A run whose input is missing in the bucket", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-unreadable-"));
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = "" } = request;
    if (method === "PUT") objects.set(url, await buffer(request));
    const found = objects.get(url);
    if (method !== "GET") return void response.writeHead(200).end();
    response.writeHead(found ? 200 : 404).end(found ?? "<Error><Code>NoSuchKey</Code></Error>");
  };
  let lost: [name: string, data: Buffer][];
  let app: App;
  let id: string;

  const opened = async (): Promise<App> => {
    const { port } = server.address() as AddressInfo;
    const one = opsSample({
      env: {
        SVC_DATABASE_URL: `sqlite:${join(folder, "svc.db")}`,
        SVC_PAYLOAD_BUCKET: `http://127.0.0.1:${port}/payloads/app?region=any&values=1024`,
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "secret",
      },
    });
    await one.boot();
    return one;
  };
  const start = (input: string): Promise<Response> =>
    localClient(app).submit("/_svc/ops/runs/start", { worker: "nightly-report", like: id, input });
  const runs = async () => (await app.engine.list({ worker: "nightly-report" })).items;

  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const first = await opened();
    id = await runTo(first, "nightly-report", INPUT, "done");
    await first.close();
    lost = [...objects].filter(([, data]) => data.includes(INPUT.text));
    for (const [name] of lost) objects.delete(name);
    app = await opened();
  });
  after(async () => {
    await app.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it("shows the reason, which is not the content of the form for its next start", async () => {
    const page = await (await localClient(app).get(`/_svc/ops/runs/${id}`)).text();
    assert.match(page, UNREADABLE);
    const [, content] = /<textarea name="input"[^>]*>([^<]*)<\/textarea>/.exec(page) ?? [];
    assert.equal(content?.trim(), "");
  });

  it("is not started again with its input, which the next screen explains", async () => {
    const client = localClient(app);
    const answer = await client.submit("/_svc/ops/runs/start", { worker: "nightly-report", like: id, input: "" });
    assert.equal(answer.status, 303);
    assert.match(await (await client.get("/_svc/ops/runs")).text(), /The object app\/.* is missing in the bucket/);
    assert.equal((await runs()).length, 1);
  });

  it("is started again with an input that the operator enters", async () => {
    await start('{"day":1}');
    const [newest] = await runs();
    assert.deepEqual(newest?.input, { day: 1 });
  });

  it("is started again with its input once the object is back", async () => {
    for (const [name, data] of lost) objects.set(name, data);
    await start("");
    const [newest, ...earlier] = await runs();
    assert.equal(earlier.length, 2);
    assert.deepEqual((await app.engine.snapshot(newest?.graph_id ?? ""))?.input, INPUT);
  });
});
