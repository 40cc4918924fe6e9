/** The operators' screen of requests: what is being answered, and who was turned away. */
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

describe("the screen of requests", () => {
  let started: Started;
  before(async () => void (started = await app.start({ host: "127.0.0.1", port: 0 })));
  after(async () => {
    release();
    await started.close();
  });

  it("has nobody in it as long as nobody asks for anything, not even who looks", async () => {
    assert.deepEqual(app.operations.requests(), []);
    const page = await screenText("/requests");
    assert.match(page, /Nothing else is being answered[\s\S]*Nobody was refused/);
  });

  it("lists what is being answered by its route, with client and id, those that wait before streams", async () => {
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
      /GET<[\s\S]*\/slow\/:token<[\s\S]*<time [\s\S]*203\.0\.113\.9<[\s\S]*not yet<[\s\S]*find-me</,
    );
    assert.match(rows[1] ?? "", /\/stream<[\s\S]*127\.0\.0\.1<[\s\S]*>stream</);
    assert.ok(!page.includes("secret-t"), "of what is asked for only the pattern is told");
    assert.match(await screenText(""), /<dt>Requests now<\/dt><dd><a href="\/_svc\/ops\/requests">3</);
    release();
    await (await slow).text();
    await reader?.cancel();
  });

  it("tells who was refused by a rate limit, how often and where, and so does the overview", async () => {
    const ask = async (from: string): Promise<number> =>
      (await fetch(`${started.url}/few`, { headers: { "x-forwarded-for": from } })).status;
    const asked = ["203.0.113.9", "203.0.113.9", "203.0.113.9", "2001:db8:1:2::1", "2001:db8:1:2:ffff::9"];
    const statuses: number[] = [];
    for (const from of asked) statuses.push(await ask(from));
    assert.deepEqual(statuses, [200, 429, 429, 200, 429]);
    const page = await screenText("/requests");
    assert.match(page, /3 requests were refused/);
    const row = (from: string, count: number): RegExp =>
      new RegExp(`>${from}</th><td[^>]*>${count}</td><td[^>]*><code>few</code></td><td[^>]*><code>/few</code>`);
    assert.match(page, row("203\\.0\\.113\\.9", 2));
    assert.match(page, row("2001:db8:1:2::/64", 1));
    await app.engine.start("nightly-report", null);
    await app.engine.idle();
    const overview = await screenText("");
    assert.match(
      overview,
      /trouble-count" data-tone="warn">2<\/span>[\s\S]*203\.0\.113\.9 was refused by the rate limit few/,
    );
    assert.ok(overview.includes(`href="/_svc/ops/requests#refused"`));
  });
});
