/** The requests screen: active requests, and clients that were rejected. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { rateLimit, route, text, type Started } from "svckit";
import { localClient, opsSample } from "./ops-app.ts";

let release = (): void => undefined;
const released = new Promise<void>((resolve) => (release = resolve));
let arrived = (): void => undefined;
const isThere = new Promise<void>((resolve) => (arrived = resolve));

async function* slowly(): AsyncGenerator<string> {
  yield "a";
  await released;
}

const app = opsSample({
  env: { SVC_TRUST_PROXY: "127.0.0.0/8" },
  more: {
    routes: [
      route("GET", "/slow/:token", async () => {
        arrived();
        await released;
        return text("done");
      }),
      route("GET", "/stream", () => ({ status: 200, headers: ["content-type", "text/plain"], body: slowly() })),
      route("GET", "/few", () => text("ok"), { middleware: [rateLimit({ perMinute: 1, name: "few" })] }),
    ],
  },
});
const client = localClient(app);

async function screenText(path: string): Promise<string> {
  const answer = await client.get(`/_svc/ops${path}`);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

describe("The requests screen", () => {
  let started: Started;
  before(async () => void (started = await app.start({ host: "127.0.0.1", port: 0 })));
  after(async () => {
    release();
    await started.close();
  });

  it("is empty without other requests, and does not list its own", async () => {
    assert.deepEqual(app.operations.requests(), []);
    const page = await screenText("/requests");
    assert.match(page, /No other active requests[\s\S]*No rejected requests/);
  });

  it("lists active requests by route with client and ID, and streams last", async () => {
    const headers = { "x-request-id": "find-me", "x-forwarded-for": "203.0.113.9" };
    const stream = await fetch(`${started.url}/stream`);
    const reader = stream.body?.getReader();
    await reader?.read();
    const slow = fetch(`${started.url}/slow/secret-token?key=secret-too`, { headers });
    await isThere;
    const page = await screenText("/requests");
    const rows = [...page.matchAll(/<tr><td data-label="Method">[\s\S]*?<\/tr>/g)].map(([row]) => row);
    assert.equal(rows.length, 2);
    assert.match(
      rows[0] ?? "",
      /GET<[\s\S]*\/slow\/:token<[\s\S]*<time [\s\S]*203\.0\.113\.9<[\s\S]*pending<[\s\S]*find-me</,
    );
    assert.match(rows[1] ?? "", /\/stream<[\s\S]*127\.0\.0\.1<[\s\S]*>stream</);
    assert.ok(!page.includes("secret-t"), "only the route pattern is shown");
    assert.match(await screenText(""), /<dt>Active requests<\/dt><dd><a href="\/_svc\/ops\/requests">3</);
    release();
    await (await slow).text();
    await reader?.cancel();
  });

  it("shows which clients a rate limit rejected, how often and where, and so does the overview", async () => {
    const ask = async (from: string): Promise<number> =>
      (await fetch(`${started.url}/few`, { headers: { "x-forwarded-for": from } })).status;
    const asked = ["203.0.113.9", "203.0.113.9", "203.0.113.9", "2001:db8:1:2::1", "2001:db8:1:2:ffff::9"];
    const statuses: number[] = [];
    for (const from of asked) statuses.push(await ask(from));
    assert.deepEqual(statuses, [200, 429, 429, 200, 429]);
    const page = await screenText("/requests");
    assert.match(page, /3 requests were rejected/);
    const row = (from: string, count: number): RegExp =>
      new RegExp(`>${from}</th><td[^>]*>${count}</td><td[^>]*><code>few</code></td><td[^>]*><code>/few</code>`);
    assert.match(page, row("203\\.0\\.113\\.9", 2));
    assert.match(page, row("2001:db8:1:2::/64", 1));
    await app.engine.start("nightly-report", null);
    await app.engine.idle();
    const overview = await screenText("");
    assert.match(
      overview,
      /trouble-count" data-tone="warn">2<\/span>[\s\S]*203\.0\.113\.9 was rejected by the rate limit few/,
    );
    assert.ok(overview.includes(`href="/_svc/ops/requests#refused"`));
  });
});
