/** Pages, routes, groups and middleware of an app, in memory and over a socket. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Middleware } from "../../platform/http/types.ts";
import { json, text } from "../../platform/http/response/response.ts";
import { withHeaders } from "../../platform/http/response/with-headers.ts";
import { action } from "../actions/action.ts";
import type { App, Started } from "../app-types.ts";
import { createApp } from "../app.ts";
import { currentContext } from "../pipeline/current-request.ts";
import { group, type Entry } from "./group.ts";
import type { AppOptions } from "../options.ts";
import { forbidden, notFound, redirect, unauthorized } from "../pipeline/outcome.ts";
import { page } from "./page.ts";
import { route } from "./route.ts";
import { recordLog } from "../../testing/log.ts";

const ENV = { SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32), NODE_ENV: "production" };
const QUIET = { log: recordLog() };

const createQuiet = (options: AppOptions): App => createApp({ env: ENV, ...QUIET, ...options });

/** Records its name on the way in. */
const note =
  (name: string): Middleware =>
  async (ctx, next) => {
    ctx.locals["notes"] = [...((ctx.locals["notes"] as string[] | undefined) ?? []), name];
    const answer = await next();
    return withHeaders(answer, { "x-notes": (ctx.locals["notes"] as string[]).join(" ") });
  };

const outcome = (name: string): never => {
  if (name === "unauthorized") unauthorized();
  if (name === "forbidden") forbidden();
  if (name === "redirect") redirect("/plain");
  return notFound();
};
const guard: Middleware = (ctx, next) => (ctx.query.has("out") ? outcome(ctx.query.get("out") ?? "") : next());

const APP: AppOptions = {
  pages: [
    page("/plain", { title: "Plain", view: () => "<p>plain</p>", middleware: [note("own")] }),
    page("/out/:how", { title: "Out", load: ({ params }) => outcome(params.how), view: () => "" }),
  ],
  routes: [
    route(["GET", "PUT"], "/todos/:id", (ctx) => json({ method: ctx.method, id: ctx.params.id }), { csrf: false }),
    route("GET", "/out/of/:how", ({ params }) => outcome(params.how)),
    group("/admin", { middleware: [note("admin")] }, [
      page("/", { title: "Admin", view: () => "<p>admin</p>" }),
      route("GET", "/users/:id", ({ params }) => text(params.id), { middleware: [note("own")] }),
      group({ middleware: [note("inner")] }, [route("GET", "/deep", () => text("deep"))]),
      group("/more", {}, [route("GET", "/", () => text("more"))]),
    ]),
  ],
  actions: { who: action(() => currentContext().locals["notes"]), leave: action((how: string) => outcome(how)) },
  middleware: [note("app"), guard],
};

describe("routing", () => {
  const app = createQuiet(APP);
  const publicDir = mkdtempSync(join(tmpdir(), "svc-public-"));
  let started: Started;
  before(async () => {
    writeFileSync(join(publicDir, "note.txt"), "a note");
    started = await app.start({ host: "127.0.0.1", port: 0, publicDir });
  });
  after(async () => {
    await started.close();
    rmSync(publicDir, { recursive: true });
  });

  const adapters = [
    [
      "in memory",
      (path: string, init?: RequestInit) =>
        app.fetch(new Request(`http://localhost${path}`, { redirect: "manual", ...init })),
    ],
    ["over a socket", (path: string, init?: RequestInit) => fetch(started.url + path, { redirect: "manual", ...init })],
  ] as const;

  for (const [adapter, send] of adapters) {
    describe(adapter, () => {
      const notes = async (path: string): Promise<string | null> => (await send(path)).headers.get("x-notes");

      it("runs middleware of the app, groups and the page or route, outermost first", async () => {
        assert.equal(await notes("/plain"), "app own");
        assert.equal(await notes("/admin"), "app admin");
        assert.equal(await notes("/admin/users/7"), "app admin own");
        assert.equal(await notes("/admin/deep"), "app admin inner");
        assert.equal(await (await send("/admin/more")).text(), "more");
      });

      it("runs the app's middleware for unknown paths, but not for the framework's own", async () => {
        assert.equal((await send("/nowhere?out=redirect")).status, 303);
        assert.equal((await send("/_svc/loader.js?out=redirect")).status, 200);
        assert.equal((await send("/_svc/nowhere?out=redirect")).status, 404);
        assert.equal((await send("/health?out=redirect")).status, 200);
      });

      it("passes the parameters of the path to handlers", async () => {
        assert.deepEqual(await (await send("/todos/a%2Fb%20c", { method: "PUT" })).json(), {
          method: "PUT",
          id: "a/b c",
        });
        assert.equal(await (await send("/admin/users/%C3%A4")).text(), "ä");
      });

      it("answers a wrong method with the allowed ones, also for routes with several methods", async () => {
        const refused = await send("/todos/1", { method: "DELETE" });
        assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, PUT"]);
        assert.equal((await send("/todos/1", { method: "HEAD" })).status, 200);
      });

      for (const [how, status, code] of [
        ["unauthorized", 401, "SVC_UNAUTHORIZED"],
        ["forbidden", 403, "SVC_FORBIDDEN"],
        ["notFound", 404, "SVC_NOT_FOUND"],
        ["redirect", 303, undefined],
      ] as const) {
        it(`answers ${how}() alike from a loader, a route and middleware: a page for browsers, a problem for programs`, async () => {
          for (const path of [`/out/${how}`, `/out/of/${how}`, `/plain?out=${how}`]) {
            const forPeople = await send(path, { headers: { accept: "text/html" } });
            assert.equal(forPeople.status, status, path);
            if (code === undefined) assert.equal(forPeople.headers.get("location"), "/plain");
            else {
              assert.match(forPeople.headers.get("content-type") ?? "", /^text\/html/);
              const problem = (await (await send(path)).json()) as { status: number; code: string };
              assert.deepEqual([problem.status, problem.code], [status, code], path);
            }
          }
        });
      }

      it("selects the format of errors by the client's preference, including weights", async () => {
        const typeFor = async (accept: string) =>
          (await send("/out/of/notFound", { headers: { accept } })).headers.get("content-type")?.split(";")[0];
        const [page, problem] = ["text/html", "application/problem+json"];
        const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for (const accept of [
          browser,
          "TEXT/HTML",
          "text/html, application/json",
          "application/json;q=0.5, text/html;q=0.9",
        ])
          assert.equal(await typeFor(accept), page, accept);
        for (const accept of [
          "*/*",
          "application/json",
          "text/html;q=0",
          "application/json, text/html;q=0.9",
          "text/htmlx",
        ])
          assert.equal(await typeFor(accept), problem, accept);
      });

      it("runs the app's middleware for public files, which keep their headers", async () => {
        assert.equal((await send("/note.txt?out=forbidden")).status, 403);
        const file = await send("/note.txt");
        assert.deepEqual([await file.text(), file.headers.get("x-notes")], ["a note", "app"]);
        assert.notEqual(file.headers.get("etag"), null);
      });

      it("shows a redirect to middleware as a response", async () => {
        assert.equal(await notes("/out/of/redirect"), "app");
      });
    });
  }
});

describe("actions", () => {
  const app = createQuiet({ ...APP, demo: true });
  after(() => app.close());

  it("run inside the app's middleware, and wrap its refusals in their envelope", async () => {
    const { createTestClient } = await import("../../testing/client.ts");
    const client = createTestClient(app);
    assert.deepEqual((await client.action("who")).reply.value, ["app"]);
    const call = async (query: string) => {
      const response = await client.post(`/_svc/action/who?out=${query}`, { args: [] });
      return { status: response.status, reply: (await response.json()) as object };
    };
    assert.deepEqual(await call("unauthorized"), {
      status: 401,
      reply: { ok: false, value: null, error: "Sign in first" },
    });
    assert.deepEqual(await call("redirect"), {
      status: 200,
      reply: { ok: true, value: null, error: null, redirect: "/plain" },
    });
    assert.equal((await client.action("leave", "forbidden")).status, 403);
  });

  it("without a known name or a token are refused before middleware", async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"args":[]}' };
    for (const [name, status] of [
      ["unknown", 404],
      ["who", 403],
    ] as const) {
      const response = await app.fetch(new Request(`http://localhost/_svc/action/${name}?out=redirect`, init));
      assert.equal(response.status, status);
    }
  });
});

describe("invalid definitions", () => {
  const handler = () => text("x");
  const booting = (...routes: Entry[]): Promise<void> => createQuiet({ routes }).boot();

  it("are rejected at boot if two match the same requests, naming both", async () => {
    await assert.rejects(booting(route("GET", "/a/:id", handler), page("/a/:name", { title: "A", view: () => "" })), {
      code: "SVC_DEFINITION",
      message: "GET /a/:id and GET /a/:name match the same requests; change or remove one",
    });
    const inGroup = group("/a", {}, [route(["POST", "PUT"], "/**:rest", handler)]);
    await assert.rejects(
      booting(route("PUT", "/a/**:file", handler), inGroup),
      /PUT \/a\/\*\*:file and PUT \/a\/\*\*:rest/,
    );
    await assert.rejects(booting(route("GET", "/a", handler), route("GET", "/a", handler)), /GET \/a is defined twice/);
  });

  it("do not include paths that differ in method or specificity", async () => {
    const app = createQuiet({
      routes: [
        route("GET", "/a/:id", handler),
        route("POST", "/a/:name", handler, { csrf: false }),
        route("GET", "/a/b", handler),
      ],
    });
    await app.boot();
    await app.close();
  });

  for (const [path, problem] of [
    ["a", /must start with a slash/],
    ["/a/", /must not end with a slash/],
    ["/a//b", /empty segments/],
    ["/a?b", /a query/],
    ["/_svc/x", /reserved for the framework/],
    ["/health", /reserved for the framework/],
    ["/a/*", /has the segment "\*"/],
    ["/a/:id.json", /has the segment ":id.json"/],
    ["/a/:", /has the segment ":"/],
    ["/caf%C3%A9", /has the segment/],
    ["/a/..", /has the segment "\.\."/],
    ["/**:rest/a", /a rest that is not its last/],
    ["/:a/:a", /names the parameter "a" twice/],
  ] as const) {
    it(`are rejected where they are defined: ${path}`, () => {
      assert.throws(() => route("GET", path as string, handler), { code: "SVC_DEFINITION", message: problem });
    });
  }

  it("are rejected for unknown, missing or repeated methods", () => {
    for (const method of ["get", "TRACE", [], ["GET", "GET"]] as never[])
      assert.throws(() => route(method, "/", handler), {
        code: "SVC_DEFINITION",
        message: /the method must be one of/,
      });
  });

  it("are rejected for a group with a parameter in its prefix, or with an invalid member", async () => {
    assert.throws(() => group("/teams/:team", {}, []), { code: "SVC_DEFINITION", message: /contains a parameter/ });
    await assert.rejects(booting(undefined as never), {
      code: "SVC_DEFINITION",
      message: /undefined is not a page/,
    });
    await assert.rejects(booting(group("/a", {}, [{} as never])), /A value of type object is not a page/);
  });
});
