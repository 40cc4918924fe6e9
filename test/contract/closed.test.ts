/** Requests to a closed app: every adapter answers that it is closed and runs none of its code. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, it } from "node:test";
import { html, page, route } from "svckit";
import { recordLog } from "svckit/testing";
import { createFixture } from "./app.ts";
import { FRAMEWORK_ADAPTERS, OWN_ADAPTERS, serve, type Adapter, type Reply } from "./every-adapter.ts";

/** A site that records which parts of it have run. */
function createSite() {
  const ran: string[] = [];
  const fixture = createFixture(
    {},
    {
      middleware: [
        (ctx, next) => {
          ran.push(ctx.path);
          return next();
        },
      ],
      pages: [
        page("/", { title: "Start", view: () => "start" }),
        page("/items/:id", { title: "Item", view: () => "item" }),
      ],
      routes: [route("GET", "/plain", () => html("plain"))],
    },
  );
  return { ...fixture, ran };
}

const brief = ({ status, bytes }: Reply): [number, string] => [status, bytes.toString()];

async function refusesEverything(adapter: Adapter): Promise<void> {
  for (const path of ["/", "/items/7", "/plain", "/_svc/core.js", "/_svc/graphs/g_1"]) {
    const { status, headers } = await adapter.ask(path);
    assert.deepEqual([path, status, headers["retry-after"]], [path, 503, ["10"]]);
    assert.deepEqual(headers["x-content-type-options"], ["nosniff"]);
  }
}

async function reportsItsState(adapter: Adapter): Promise<void> {
  assert.deepEqual(brief(await adapter.ask("/health")), [200, "ok"]);
  assert.deepEqual(brief(await adapter.ask("/ready")), [503, "not ready: draining"]);
}

/** Frameworks that answer requests that the app has no response for. A framework that calls `app.fetch` does not. */
const PASSING = new Set(["Express 5", "Fastify 5"]);

const MOUNTED = { ...OWN_ADAPTERS, ...FRAMEWORK_ADAPTERS };
delete MOUNTED["listen"];

for (const [name, open] of Object.entries(MOUNTED)) {
  describe(`a closed app behind ${name}`, () => {
    it("answers 503 to its own requests, runs nothing, and reports that it is alive and not ready", async (test) => {
      const site = createSite();
      const adapter = await open(site.app, "");
      test.after(async () => {
        await adapter.close();
        await site.close();
      });
      assert.equal((await adapter.ask("/")).status, 200);
      await site.app.close();
      site.ran.length = 0;
      await refusesEverything(adapter);
      await reportsItsState(adapter);
      assert.deepEqual(site.ran, []);
      if (name in FRAMEWORK_ADAPTERS) assert.deepEqual(brief(await adapter.ask("/theirs")), [200, "theirs"]);
      assert.equal((await adapter.ask("/nothing")).status, PASSING.has(name) ? 404 : 503);
    });
  });
}

describe("a closed app", () => {
  it("answers browsers with a page and action calls with the envelope", async (test) => {
    const site = createSite();
    test.after(() => site.close());
    await site.app.boot();
    await site.app.close();
    const ask = (path: string, init?: RequestInit): Promise<Response> =>
      site.app.fetch(new Request(`http://localhost${path}`, init));
    assert.match(await (await ask("/", { headers: { accept: "text/html" } })).text(), /<h1[^>]*>503 /);
    const called = await ask("/_svc/action/echo", { method: "POST" });
    assert.deepEqual([called.status, ((await called.json()) as { ok: boolean }).ok], [503, false]);
  });

  it("logs its first refusal as such and further ones at debug, without a stack trace", async (test) => {
    const log = recordLog();
    const site = createFixture({}, { log, pages: [page("/", { title: "Start", view: () => "start" })] });
    test.after(() => site.close());
    await site.app.boot();
    await site.app.close();
    const before = log.entries.length;
    for (let at = 0; at < 3; at++) await site.app.fetch(new Request("http://localhost/"));
    const reported = log.entries.slice(before);
    assert.deepEqual(
      reported.map(({ level }) => level),
      ["warn", "debug", "debug"],
    );
    for (const { message, fields } of reported) {
      assert.match(message, /rejected: the app has been closed/);
      assert.deepEqual([typeof fields["reqId"], fields["err"]], ["string", undefined]);
    }
  });

  it("answers fetch after its own server has closed as a mounted app does", async (test) => {
    const site = createSite();
    test.after(() => site.close());
    const started = await site.app.start({ host: "127.0.0.1", port: 0 });
    await started.close();
    assert.equal((await site.app.fetch(new Request("http://localhost/"))).status, 503);
    assert.deepEqual(site.ran, []);
  });

  it("answers 503 with the default headers through handler and fetch if it closes before it has booted", async (test) => {
    const site = createSite();
    await site.app.close();
    const response = await site.app.fetch(new Request("http://localhost/"));
    assert.deepEqual([response.status, response.headers.get("x-content-type-options")], [503, "nosniff"]);
    const adapter = await serve(createServer(site.app.handler));
    test.after(async () => {
      await adapter.close();
      await site.close();
    });
    await refusesEverything(adapter);
    await reportsItsState(adapter);
  });
});
