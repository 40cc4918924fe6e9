/** Cookies, sessions and session-bound CSRF tokens through the adapters of an app; and the replacement of a secret. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "../../platform/http/response/response.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { loadDriver } from "../../storage/sqlite/file/driver.ts";
import { createTestClient, type TestClient } from "../../testing/client.ts";
import { recordLog } from "../../testing/log.ts";
import { action } from "../actions/action.ts";
import type { App, Started } from "../app-types.ts";
import { createApp } from "../app.ts";
import { currentContext } from "./current-request.ts";
import type { AppOptions } from "../options.ts";
import { forbidden, redirect, unauthorized } from "./outcome.ts";
import { page } from "../pages/page.ts";
import { route } from "../pages/route.ts";

declare module "../../platform/http/sessions/session.ts" {
  interface SessionData {
    member?: string;
    visits?: number;
  }
}

const OLD = "o".repeat(32);
const NEW = "n".repeat(32);

const signIn = action(async (name: string) => {
  const session = await currentContext().session();
  session.regenerate();
  session.set("member", name);
});

const APP: AppOptions = {
  pages: [
    page("/", {
      load: async (ctx) => (await ctx.session()).get("member") ?? unauthorized(),
      title: (member) => member,
      view: (member) => `Hello ${member}`,
    }),
    page("/late", {
      title: "Late",
      load: (ctx) => ctx.session(),
      view: (session) => {
        session.set("member", "too late");
        return "late";
      },
    }),
  ],
  routes: [
    route("POST", "/sign-in/:name", async ({ params }) => {
      await signIn(params.name);
      return redirect("/");
    }),
    route("POST", "/sign-out", async (ctx) => {
      (await ctx.session()).destroy();
      return redirect("/");
    }),
    route("GET", "/visits", async (ctx) => {
      const session = await ctx.session();
      session.set("visits", (session.get("visits") ?? 0) + 1);
      return ctx.query.has("refused")
        ? forbidden()
        : text(String(session.get("visits")), 200, ["cache-control", "public, max-age=60"]);
    }),
    route("GET", "/untouched", () => text("as it is", 200, ["cache-control", "public, max-age=60"])),
    route("GET", "/looked-at", async (ctx) => json((await ctx.session()).get("visits") ?? null)),
    route("GET", "/set", (ctx) => {
      ctx.setCookie("plan", "basic", { signed: true });
      ctx.setCookie("plan", "gold; Path=/x", { signed: true });
      ctx.setCookie("plan", "elsewhere", { path: "/x" });
      ctx.deleteCookie("old");
      return text("set");
    }),
    route("GET", "/forget", async (ctx) => {
      (await ctx.session()).destroy();
      return text("forgotten");
    }),
    route("GET", "/sign", (ctx) => {
      ctx.setCookie("plan", "gold", { signed: true });
      return text("signed");
    }),
    route("GET", "/read", (ctx) =>
      json({ plan: ctx.signedCookie("plan") ?? null, other: ctx.signedCookie("other") ?? null }),
    ),
    route("GET", "/streamed", (ctx) => ({
      status: 200,
      headers: [],
      body: (async function* () {
        yield "head ";
        const session = await ctx.session();
        for (const late of [() => ctx.setCookie("a", "1"), () => session.set("member", "x")]) {
          try {
            late();
          } catch (error) {
            yield `${(error as { code?: string }).code} `;
          }
        }
      })(),
    })),
  ],
  actions: { signIn, who: action(async () => (await currentContext().session()).get("member")) },
  demo: true,
};

const create = (options: AppOptions = {}, env: Record<string, string> = {}): App =>
  createApp({
    ...APP,
    log: recordLog(),
    env: {
      SVC_DATABASE_URL: "memory:",
      SVC_SECRET: OLD,
      NODE_ENV: "production",
      SVC_ALLOWED_HOSTS: "shop.example",
      ...env,
    },
    ...options,
  });

const linesOf = (response: Response, name: string): string[] =>
  response.headers.getSetCookie().filter((line) => line.startsWith(`${name}=`));

describe("sessions and cookies", () => {
  const app = create();
  let started: Started;
  before(async () => void (started = await app.start({ host: "127.0.0.1", port: 0 })));
  after(() => started.close());

  const overSocket: Pick<App, "fetch"> = {
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const body = request.body ? await request.arrayBuffer() : null;
      return fetch(`${started.url}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body,
        redirect: "manual",
      });
    },
  };

  for (const [adapter, target] of [
    ["in memory", app],
    ["over a socket", overSocket],
  ] as const) {
    describe(adapter, () => {
      const visitor = (): TestClient => createTestClient(target, { tokenPage: "/_svc/demo" });

      it("persist between requests, in a cookie that scripts and other sites can't use", async () => {
        const client = visitor();
        const first = await client.get("/visits");
        assert.match(
          linesOf(first, "svc-session")[0] ?? "",
          /^svc-session=[\w-]+; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/,
        );
        assert.equal(await (await client.get("/visits")).text(), "2");
        assert.equal((await client.get("/visits?refused")).status, 403);
        assert.equal(await (await client.get("/visits")).text(), "4", "a refusal keeps what was counted before it");
      });

      it("keep only responses that used them out of shared caches", async () => {
        const client = visitor();
        const cacheControl = async (path: string) => (await client.get(path)).headers.get("cache-control");
        assert.equal(await cacheControl("/visits"), "private, no-store");
        assert.equal(await cacheControl("/looked-at"), "no-store");
        assert.equal(await cacheControl("/untouched"), "public, max-age=60");
        assert.deepEqual(linesOf(await client.get("/looked-at"), "svc-session"), [], "looking writes nothing");
      });

      it("begin and end with forms", async () => {
        const client = visitor();
        assert.equal((await client.get("/")).status, 401);
        const answer = await client.submit("/sign-in/Ada", {});
        assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/"]);
        assert.match(await (await client.get("/")).text(), /Hello Ada/);
        const gone = await client.submit("/sign-out", {});
        assert.match(linesOf(gone, "svc-session")[0] ?? "", /^svc-session=; Path=\/; Max-Age=0;/);
        assert.equal((await client.get("/")).status, 401);
      });

      it("invalidate CSRF tokens from before they began, ended or changed", async () => {
        const client = visitor();
        const before = await client.csrfToken();
        const send = async (token: string, jar: TestClient = client) =>
          (await jar.request("/sign-out", { method: "POST", headers: { "x-svc-csrf": token } })).status;
        const answer = await client.action("signIn", "Ada");
        assert.equal(answer.status, 200);
        const within = await client.csrfToken();
        assert.notEqual(within, before);
        assert.equal(await send(before), 403);
        const other = visitor();
        await other.action("signIn", "Eve");
        assert.equal(await send(await other.csrfToken()), 403);
        assert.equal(await send(within), 303);
        assert.equal(await send(within), 403);
      });

      it("that an action begins send the page its new token, which is valid at once", async () => {
        const client = visitor();
        const first = await client.post("/_svc/action/signIn", { args: ["Ada"] });
        const token = first.headers.get("x-svc-csrf") ?? "";
        assert.match(token, /^[\w-]{43,}$/);
        assert.deepEqual((await client.action("who")).reply, { ok: true, value: "Ada", error: null });
        assert.equal((await client.post("/_svc/action/who", { args: [] })).headers.get("x-svc-csrf"), null);
      });

      it("can't change after the head was sent", async () => {
        assert.equal(await (await visitor().get("/streamed")).text(), "head SVC_TOO_LATE SVC_TOO_LATE ");
      });

      it("can't begin while a page is rendered, whose token would be invalid", async () => {
        const client = visitor();
        assert.equal((await client.get("/late")).status, 500);
        await client.action("signIn", "Ada");
        assert.equal((await client.get("/late")).status, 200, "a session that is there may hold something new");
      });

      it("include signed cookies that are read as they were set, under their own name", async () => {
        const client = visitor();
        const answer = await client.get("/set");
        assert.equal(linesOf(answer, "plan").length, 2, "the last one of a name and path counts");
        assert.match(linesOf(answer, "old")[0] ?? "", /^old=; Path=\/; Max-Age=0;/);
        const [pair = ""] = (linesOf(answer, "plan").find((line) => line.includes("Path=/;")) ?? "").split(";");
        const read = async (cookie: string) =>
          (await target.fetch(new Request("http://localhost/read", { headers: { cookie } }))).json();
        assert.deepEqual(await read(pair), { plan: "gold; Path=/x", other: null });
        for (const forged of [pair.replace("gold", "platinum"), "plan=gold", pair.slice(0, -1)])
          assert.deepEqual(await read(forged), { plan: null, other: null }, forged);
        assert.deepEqual(await read(pair.replace("plan=", "other=")), { plan: null, other: null });
      });
    });
  }

  it("over HTTPS use only a cookie name that no sibling domain can set", async () => {
    const client = createTestClient(app, { origin: "https://shop.example" });
    const [line = ""] = linesOf(await client.get("/visits"), "__Host-svc-session");
    assert.match(line, /; Path=\/; Max-Age=1209600; HttpOnly; Secure; SameSite=Lax$/);
    const plan = linesOf(await client.get("/sign"), "plan")[0] ?? "";
    assert.match(plan, /; HttpOnly; Secure; SameSite=Lax$/, "as all cookies over HTTPS are");
    const tossed = line.split(";")[0]?.replace("__Host-", "") ?? "";
    const answer = await app.fetch(new Request("https://shop.example/looked-at", { headers: { cookie: tossed } }));
    assert.equal(await answer.json(), null);
  });
});

describe("a session that can't be saved", () => {
  it("causes a server error without its data in the response", async () => {
    const store = {
      read: () => undefined,
      write: () => Promise.reject(new Error("database password is hunter2")),
      remove: () => undefined,
    };
    const app = create({ session: { store } });
    const answer = await app.fetch(new Request("http://localhost/visits"));
    assert.equal(answer.status, 500);
    assert.doesNotMatch(await answer.text(), /hunter2/);
    assert.equal(answer.headers.getSetCookie().length, 0);
    await app.close();
  });

  it("because its lifetime is invalid stops the boot", async () => {
    for (const [option, life] of [
      ["lifetime", "0s"],
      ["lifetime", 10],
      ["longest", "1ms"],
    ] as const) {
      const app = create({ session: { [option]: life } });
      await assert.rejects(app.boot(), { code: "SVC_CONFIG", message: new RegExp(`session\\.${option} is`) });
      await app.close();
    }
  });
});

describe("sessions in the app's database", () => {
  it("are read from it, end when destroyed, and are deleted after they expire", async () => {
    const clock = new SimulatedClock();
    const folder = mkdtempSync(join(tmpdir(), "svc-sessions-"));
    const env = { SVC_DATABASE_URL: `sqlite:${join(folder, "svc.db")}` };
    const options: AppOptions = { session: { store: "database", lifetime: "1h" }, clock };
    const Driver = await loadDriver();
    const count = () => {
      const database = new Driver(join(folder, "svc.db"));
      const [row] = database.prepare("SELECT count(*) AS n FROM session").all();
      database.close();
      return row?.["n"];
    };
    const first = create(options, env);
    const client = createTestClient(first);
    await client.action("signIn", "Ada");
    const stolen = client.cookies.get("svc-session") ?? "";
    await createTestClient(first).action("signIn", "Eve");
    assert.equal(count(), 2);
    await first.close();

    const second = create(options, env);
    const later = createTestClient(second);
    const see = async (cookie: string) =>
      second.fetch(new Request("http://localhost/", { headers: { cookie: `svc-session=${cookie}` } }));
    assert.match(await (await see(stolen)).text(), /Hello Ada/, "another process knows it");
    await second.fetch(new Request("http://localhost/forget", { headers: { cookie: `svc-session=${stolen}` } }));
    assert.equal((await see(stolen)).status, 401);
    await clock.advance(2 * 3_600_000);
    await later.action("signIn", "Grace");
    assert.equal(count(), 1);
    await second.close();
    rmSync(folder, { recursive: true });
  });
});

describe("a replaced secret", () => {
  it("keeps visitors signed in and open pages valid, and is not needed after visitors have returned", async () => {
    const apps = {
      old: create(),
      both: create({}, { SVC_SECRET: NEW, SVC_SECRET_PREVIOUS: OLD }),
      new: create({}, { SVC_SECRET: NEW }),
    };
    let at: App = apps.old;
    const client = createTestClient({ fetch: (request) => at.fetch(request) }, { tokenPage: "/_svc/demo" });
    await client.action("signIn", "Ada");
    await client.get("/sign");
    const openPage = { "x-svc-csrf": await client.csrfToken(), "content-type": "application/json" };
    const callFromOpenPage = async () => {
      const response = await client.request("/_svc/action/who", {
        method: "POST",
        headers: openPage,
        body: '{"args":[]}',
      });
      return response.status === 200 ? ((await response.json()) as { value: string }).value : response.status;
    };
    at = apps.both;
    assert.equal(await callFromOpenPage(), "Ada");
    assert.match(await (await client.get("/")).text(), /Ada/);
    assert.deepEqual(await (await client.get("/read")).json(), { plan: "gold", other: null });
    // Pages that render a token sign its cookie again, with the id that open pages know.
    await client.get("/_svc/demo");
    assert.equal(await callFromOpenPage(), "Ada");
    await client.get("/sign");
    at = apps.new;
    assert.match(await (await client.get("/")).text(), /Ada/);
    assert.deepEqual(await (await client.get("/read")).json(), { plan: "gold", other: null });
    assert.equal(await callFromOpenPage(), 403, "only what the old secret itself signed is over");
    for (const app of Object.values(apps)) await app.close();
  });
});
