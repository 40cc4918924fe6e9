/** What is asked of an app that was closed: every door says that it is not there, and runs nothing of it. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, it } from "node:test";
import { html, page, route } from "svckit";
import { recordLog } from "svckit/testing";
import { createFixture } from "./app.ts";
import { FOREIGN_DOORS, OWN_DOORS, serve, type Door, type ReportMethod } from "./every-door.ts";

/** A site that tells what of it has run. */
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

const brief = ({ status, bytes }: ReportMethod): [number, string] => [status, bytes.toString()];

async function refusesEverything(door: Door): Promise<void> {
  for (const path of ["/", "/items/7", "/plain", "/_svc/core.js", "/_svc/graphs/g_1"]) {
    const { status, headers } = await door.ask(path);
    assert.deepEqual([path, status, headers["retry-after"]], [path, 503, ["10"]]);
    assert.deepEqual(headers["x-content-type-options"], ["nosniff"]);
  }
}

async function tellsOfItself(door: Door): Promise<void> {
  assert.deepEqual(brief(await door.ask("/health")), [200, "ok"]);
  assert.deepEqual(brief(await door.ask("/ready")), [503, "not ready: draining"]);
}

/** Asked what the app has no answer of its own to; a framework behind `app.fetch` is not. */
const PASSING = new Set(["Express 5", "Fastify 5"]);

const MOUNTED = { ...OWN_DOORS, ...FOREIGN_DOORS };
delete MOUNTED["listen"];

for (const [name, open] of Object.entries(MOUNTED)) {
  describe(`an app that was closed, through ${name}`, () => {
    it("answers 503 to what was its own, runs nothing, and tells that it lives and is not ready", async (test) => {
      const site = createSite();
      const door = await open(site.app, "");
      test.after(async () => {
        await door.close();
        await site.close();
      });
      assert.equal((await door.ask("/")).status, 200);
      await site.app.close();
      site.ran.length = 0;
      await refusesEverything(door);
      await tellsOfItself(door);
      assert.deepEqual(site.ran, []);
      if (name in FOREIGN_DOORS) assert.deepEqual(brief(await door.ask("/theirs")), [200, "theirs"]);
      assert.equal((await door.ask("/nothing")).status, PASSING.has(name) ? 404 : 503);
    });
  });
}

describe("an app that was closed", () => {
  it("says so as a page to who looks at one, and in the envelope to who calls an action", async (test) => {
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

  it("tells once that it refuses, each further request at debug, and of none where in the code it was", async (test) => {
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

  it("by its own server answers fetch as one that was mounted does", async (test) => {
    const site = createSite();
    test.after(() => site.close());
    const started = await site.app.start({ host: "127.0.0.1", port: 0 });
    await started.close();
    assert.equal((await site.app.fetch(new Request("http://localhost/"))).status, 503);
    assert.deepEqual(site.ran, []);
  });

  it("before it booted says so at both doors that others open, with what every answer has", async (test) => {
    const site = createSite();
    await site.app.close();
    const response = await site.app.fetch(new Request("http://localhost/"));
    assert.deepEqual([response.status, response.headers.get("x-content-type-options")], [503, "nosniff"]);
    const door = await serve(createServer(site.app.handler));
    test.after(async () => {
      await door.close();
      await site.close();
    });
    await refusesEverything(door);
    await tellsOfItself(door);
  });
});
