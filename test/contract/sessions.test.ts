/** Signing in and out, middleware and typed paths through every adapter, including other frameworks. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  action,
  createApp,
  currentContext,
  group,
  page,
  redirect,
  route,
  text,
  unauthorized,
  withHeaders,
  type Middleware,
} from "svckit";
import { createTestClient, recordLog } from "svckit/testing";
import { FRAMEWORK_ADAPTERS, OWN_ADAPTERS, type Adapter } from "./every-adapter.ts";

declare module "svckit" {
  interface SessionData {
    guest?: string;
  }
}

const signIn = action(async (name: string) => {
  const session = await currentContext().session();
  session.regenerate();
  session.set("guest", name);
});

const signedIn: Middleware = async (ctx, next) => {
  const guest = (await ctx.session()).get("guest") ?? unauthorized("Sign in first");
  return withHeaders(await next(), { "x-guest": guest });
};

const create = () =>
  createApp({
    routes: [
      route("POST", "/sign-in/:name", async ({ params }) => {
        await signIn(params.name);
        return redirect("/rooms/7");
      }),
      route("POST", "/sign-out", async (ctx) => {
        (await ctx.session()).destroy();
        return redirect("/");
      }),
      group("/rooms", { middleware: [signedIn] }, [
        page("/:room", { title: "Room", load: ({ params }) => params.room, view: (room) => `Room ${room}` }),
        route("GET", "/:room/files/**:file", ({ params }) => text(`${params.room} ${params.file}`)),
      ]),
    ],
    actions: { signIn },
    demo: true,
    log: recordLog(),
    env: { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), NODE_ENV: "production" },
  });

/** A browser that uses an adapter. */
function visitorOf(adapter: Adapter) {
  return createTestClient(
    {
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const body = new Uint8Array(await request.arrayBuffer());
        const asked = { method: request.method, headers: Object.fromEntries(request.headers) };
        const reported = await adapter.ask(pathname + search, body.length > 0 ? { ...asked, body } : asked);
        const headers = Object.entries(reported.headers).flatMap(([name, values]) =>
          values.map((value): [string, string] => [name, value]),
        );
        return new Response(reported.bytes.length > 0 ? new Uint8Array(reported.bytes) : null, {
          status: reported.status,
          headers,
        });
      },
    },
    { tokenPage: "/_svc/demo" },
  );
}

for (const [name, open] of Object.entries({ ...OWN_ADAPTERS, ...FRAMEWORK_ADAPTERS })) {
  describe(`a session through ${name}`, () => {
    const app = create();
    let adapter: Adapter;
    before(async () => void (adapter = await open(app, "")));
    after(async () => {
      await adapter.close();
      await app.close();
    });

    it("begins with a form, is visible to middleware, and ends with a form", async () => {
      const visitor = visitorOf(adapter);
      const stranger = await visitor.get("/rooms/7", { accept: "text/html" });
      assert.deepEqual([stranger.status, stranger.headers.get("content-type")], [401, "text/html; charset=utf-8"]);
      assert.equal((await visitor.submit("/sign-in/Ada", {})).headers.get("location"), "/rooms/7");
      const room = await visitor.get("/rooms/7");
      assert.deepEqual([room.status, room.headers.get("x-guest")], [200, "Ada"]);
      assert.match(await room.text(), /Room 7/);
      assert.equal(await (await visitor.get("/rooms/7/files/a/b%2Fc.txt")).text(), "7 a/b/c.txt");
      assert.equal((await visitor.submit("/sign-out", {})).status, 303);
      assert.equal((await visitor.get("/rooms/7")).status, 401);
    });

    it("invalidates tokens from before it, and tokens of another session", async () => {
      const [ada, eve] = [visitorOf(adapter), visitorOf(adapter)];
      const before = await ada.csrfToken();
      for (const visitor of [ada, eve]) await visitor.action("signIn", "somebody");
      for (const token of [before, await eve.csrfToken()]) {
        const answer = await ada.request("/sign-out", { method: "POST", headers: { "x-svc-csrf": token } });
        assert.equal(answer.status, 403);
      }
      assert.equal((await ada.submit("/sign-out", {})).status, 303);
    });
  });
}
