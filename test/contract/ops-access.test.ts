/** Access control of the operator screens: reading and changing. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { page, type App } from "svckit";
import { farClient, localClient, OPERATOR_KEY, opsSample, orderInput, type SampleOptions } from "./ops-app.ts";

const apps: App[] = [];
after(async () => {
  for (const app of apps) await app.close();
});

async function sample(options: SampleOptions = {}): Promise<App> {
  const app = opsSample({ isLocked: true, ...options });
  apps.push(app);
  await app.boot();
  return app;
}

/** A host as svc dev provides it, for an app without browser code. */
const DEV_HOST = {
  manifest: () => ({ build: "dev", chunks: {}, actions: [] }),
  chunk: async () => undefined,
  script: () => "",
  kept: () => undefined,
  faultPage: () => "",
};

const PRODUCTION = { NODE_ENV: "production", SVC_SITE_URL: "http://localhost" };
const WITH_KEY = { ...PRODUCTION, SVC_EXEC_API_KEY: OPERATOR_KEY };

describe("The icon of an app", () => {
  it("is on each of its pages, but does not replace the icon of the operator screens", async () => {
    const app = opsSample({ more: { icon: "/icon.svg", pages: [page("/here", { title: "", view: () => "here" })] } });
    const client = localClient(app);
    const iconOf = async (path: string): Promise<string | undefined> =>
      /<link rel="icon"[^>]* href="([^"]*)"/.exec(await (await client.get(path)).text())?.[1];
    assert.deepEqual([await iconOf("/here"), await iconOf("/_svc/ops")], ["/icon.svg", "/_svc/ops-icon.svg"]);
    assert.equal((await client.get("/_svc/ops-icon.svg")).headers.get("content-type"), "image/svg+xml");
    await app.close();
  });
});

describe("The operator screens in development", () => {
  it("are closed without a key, whatever address a request claims to come from", async () => {
    const app = await sample();
    for (const client of [localClient(app), farClient(app)]) {
      const page = await client.get("/_svc/ops/runs");
      assert.equal(page.status, 404);
      assert.match(await page.text(), /svc dev/);
    }
  });
});

describe("The one-time link of svc dev", () => {
  let processes = 0;

  /** An app with a host whose link works once, like that of svc dev (src/platform/security/one-time-link.ts). */
  async function developed(env: Record<string, string> = {}) {
    const tokens = new Set<string>();
    const operatorLink = { issuer: `process ${++processes}`, redeem: (token: string) => tokens.delete(token) };
    const app = opsSample({ isLocked: true, env: { NODE_ENV: "development", ...env } });
    apps.push(app);
    await app.boot({ dev: { ...DEV_HOST, operatorLink } });
    const issue = (): string => {
      tokens.add("the-token");
      return "the-token";
    };
    return { app, issue };
  }

  it("is the only access without a key, and the page says so", async () => {
    const { app } = await developed();
    const page = await localClient(app).get("/_svc/ops/runs");
    assert.equal(page.status, 401);
    assert.match(await page.text(), /Open the link of svc dev/);
  });

  it("makes a visitor an operator, once, until the process ends", async () => {
    const { app, issue } = await developed();
    const path = `/_svc/ops/link?token=${issue()}`;
    const [first, second] = [localClient(app), localClient(app)];
    const answer = await first.get(path);
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/_svc/ops"]);
    assert.match(answer.headers.getSetCookie().join(), /svc-operator=[^;]+; .*HttpOnly.*SameSite=Strict/);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.match(await (await first.get("/_svc/ops/runs")).text(), /Signed in with the link of svc dev/);
    await second.get(path);
    const refused = await second.get("/_svc/ops");
    assert.equal(refused.status, 401);
    assert.match(await refused.text(), /has expired or has already been used/);
    const { app: next } = await developed();
    const cookie = `svc-operator=${first.cookies.get("svc-operator")}`;
    assert.equal((await next.fetch(new Request("http://localhost/_svc/ops", { headers: { cookie } }))).status, 401);
    const { items } = await app.operations.audit({ target: "operator" });
    assert.deepEqual(
      items.map(({ operation, actor }) => [operation, actor]),
      [
        ["ops.refused", "one-time link"],
        ["ops.sign-in", "one-time link"],
      ],
    );
  });

  it("is rate limited like the operator key", async () => {
    const { app, issue } = await developed();
    const [client, token] = [localClient(app), issue()];
    for (let guess = 0; guess < 10; guess++)
      assert.equal((await client.get(`/_svc/ops/link?token=${guess}`)).status, 303);
    const refused = await client.get(`/_svc/ops/link?token=${token}`);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal((await farClient(app).get(`/_svc/ops/link?token=${token}`)).status, 303);
  });

  it("does not work in production or without svc dev", async () => {
    const { app, issue } = await developed(PRODUCTION);
    assert.equal((await localClient(app).get(`/_svc/ops/link?token=${issue()}`)).status, 404);
    assert.equal((await localClient(await sample()).get("/_svc/ops/link?token=x")).status, 404);
  });
});

describe("The operator screens in production", () => {
  it("are closed without a key, and say what to do", async () => {
    const page = await localClient(await sample({ env: PRODUCTION })).get("/_svc/ops");
    assert.equal(page.status, 404);
    assert.match(await page.text(), /SVC_EXEC_API_KEY/);
  });

  it("ask for the key, and redirect back with a session of eight hours", async () => {
    const client = farClient(await sample({ env: WITH_KEY }));
    const signInPage = await client.get("/_svc/ops/runs?status=failed");
    assert.equal(signInPage.status, 401);
    assert.match(await signInPage.text(), /value="\/_svc\/ops\/runs\?status=failed"/);
    const back = "/_svc/ops/runs?status=failed";
    const answer = await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY, back });
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, back]);
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith("svc-operator=")) ?? "";
    for (const part of ["HttpOnly", "SameSite=Strict", "Path=/_svc;", "Max-Age=28800"])
      assert.ok(cookie.includes(part), part);
    assert.ok(!cookie.includes(OPERATOR_KEY));
    assert.equal((await client.get(back)).status, 200);
  });

  it("reject a wrong key with a message and an audit entry", async () => {
    const app = await sample({ env: WITH_KEY });
    const client = farClient(app);
    assert.equal((await client.submit("/_svc/ops/sign-in", { key: "guess" })).status, 303);
    const page = await client.get("/_svc/ops");
    assert.equal(page.status, 401);
    assert.match(await page.text(), /The key is wrong/);
    const { items } = await app.operations.audit({ operation: "ops.refused" });
    assert.equal(items[0]?.address, "203.0.113.9");
  });

  it("limit a client to ten wrong keys a minute, at the sign-in and the endpoints together, and then reject the right one as well", async () => {
    const app = await sample({ env: WITH_KEY });
    const client = farClient(app);
    const bearer = async (key: string) => client.get("/_svc/status", { authorization: `Bearer ${key}` });
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++) {
      statuses.push((await client.submit("/_svc/ops/sign-in", { key: `guess ${guess}` })).status);
      statuses.push((await bearer(`guess-${guess}`)).status);
    }
    assert.deepEqual(statuses, [303, 401, 303, 401, 303, 401, 303, 401, 303, 401, 429, 429]);
    const refused = await bearer(OPERATOR_KEY);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal((await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY })).status, 429);
    const remoteNodes = await localClient(app).get("/_svc/status", { authorization: `Bearer ${OPERATOR_KEY}` });
    assert.equal(remoteNodes.status, 200);
    assert.equal(app.operations.refusedCallers().callers[0]?.limit, "operator-key");
  });

  it("accept the right key any number of times", async () => {
    const client = farClient(await sample({ env: WITH_KEY }));
    for (let call = 0; call < 30; call++)
      assert.equal((await client.get("/_svc/status", { authorization: `Bearer ${OPERATOR_KEY}` })).status, 200);
  });

  it("never redirect to another site after the sign-in", async () => {
    for (const back of ["https://evil.example/", "//evil.example", "/_svc/opsevil", "/_svc/ops/\\evil", "/login"]) {
      const client = farClient(await sample({ env: WITH_KEY }));
      const answer = await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY, back });
      assert.equal(answer.headers.get("location"), "/_svc/ops", back);
    }
  });

  it("reject the session after signing out and after a change of the key", async () => {
    const client = farClient(await sample({ env: WITH_KEY }));
    await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY });
    const cookie = client.cookies.get("svc-operator") ?? "";
    const other = await sample({ env: { ...WITH_KEY, SVC_EXEC_API_KEY: "another-key-of-the-sample" } });
    const stale = new Request("http://localhost/_svc/ops", { headers: { cookie: `svc-operator=${cookie}` } });
    assert.equal((await other.fetch(stale)).status, 401);
    await client.submit("/_svc/ops/sign-out", {});
    assert.equal((await client.get("/_svc/ops")).status, 401);
  });

  it("reject a copied cookie after the sign-out, and after another sign-in with the browser that has it", async () => {
    const app = await sample({ env: WITH_KEY });
    const client = farClient(app);
    const statusOf = async (cookie: string): Promise<number> =>
      (await app.fetch(new Request("http://localhost/_svc/ops", { headers: { cookie: `svc-operator=${cookie}` } })))
        .status;
    const signIn = async (): Promise<string> => {
      await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY });
      return client.cookies.get("svc-operator") ?? assert.fail();
    };
    const [first, second] = [await signIn(), await signIn()];
    assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200]);
    await client.submit("/_svc/ops/sign-out", {});
    assert.equal(await statusOf(second), 401);
  });

  it("keep a session when the server restarts, and its end", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svc-ops-sessions-"));
    const env = { ...WITH_KEY, SVC_DATABASE_URL: `sqlite:${join(folder, "svc.db")}` };
    const statusAfterRestart = async (cookie: string): Promise<number> => {
      const app = await sample({ env });
      const { status } = await app.fetch(new Request("http://localhost/_svc/ops", { headers: { cookie } }));
      await app.close();
      return status;
    };
    const cookies: string[] = [];
    const first = await sample({ env });
    for (const leaves of [false, true]) {
      const client = farClient(first);
      await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY });
      cookies.push(`svc-operator=${client.cookies.get("svc-operator")}`);
      if (leaves) await client.submit("/_svc/ops/sign-out", {});
    }
    await first.close();
    assert.deepEqual(
      [await statusAfterRestart(cookies[0] ?? ""), await statusAfterRestart(cookies[1] ?? "")],
      [200, 401],
    );
    await rm(folder, { recursive: true });
  });

  it("follow changes only in the operator's browser, and not after the sign-out", async () => {
    const app = await sample({ env: WITH_KEY });
    const client = farClient(app);
    await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY });
    const page = await (await client.get("/_svc/ops/runs")).text();
    const src = /id="ops-news" data-src="([^"]+)"/.exec(page)?.[1] ?? assert.fail();
    const cookie = `svc-operator=${client.cookies.get("svc-operator")}`;
    const statusOf = async (headers: Record<string, string>): Promise<number> => {
      const answer = await app.fetch(new Request(`http://localhost${src}`, { headers }));
      await answer.body?.cancel();
      return answer.status;
    };
    assert.deepEqual([await statusOf({}), await statusOf({ cookie })], [401, 200]);
    await client.submit("/_svc/ops/sign-out", {});
    assert.equal(await statusOf({ cookie }), 401);
  });
});

describe("A reader", () => {
  it("sees everything, but may not change anything", async () => {
    const app = await sample({ env: WITH_KEY });
    const client = farClient(app);
    await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY, role: "read" });
    const page = await (await client.get("/_svc/ops/runs")).text();
    assert.match(page, /read only/);
    const answer = await client.submit("/_svc/ops/runs/bulk", { step: "cancel", which: "all" });
    assert.equal(answer.status, 403);
    const add = await (await client.get("/_svc/ops/webhooks/add?url=http%3A%2F%2F10.0.0.1%2F")).text();
    assert.ok(add.includes("Add a webhook") && !add.includes("resolves to"), "the verdict about the address");
    const { items } = await app.operations.audit({ operation: "graphs" });
    assert.deepEqual(items, []);
  });
});

describe("An app's authorize function", () => {
  it("decides who sees the screens and who may change anything", async () => {
    const app = await sample({
      env: PRODUCTION,
      ops: {
        authorize: (ctx) => {
          if (ctx.header("x-user") === "ada") return "operator";
          return ctx.header("x-user") === "bob" ? "read" : undefined;
        },
      },
    });
    await app.engine.start("order", orderInput(1));
    const seen = async (user: string): Promise<number> =>
      (await app.fetch(new Request("http://localhost/_svc/ops/runs", { headers: { "x-user": user } }))).status;
    assert.deepEqual([await seen("ada"), await seen("bob"), await seen("eve")], [200, 200, 403]);
  });

  it("can be replaced by `ops: false`, which removes the screens", async () => {
    const app = await sample({ ops: false });
    assert.equal((await localClient(app).get("/_svc/ops/runs")).status, 404);
  });
});

describe("An action on a screen", () => {
  it("needs the page's CSRF token", async () => {
    const client = localClient(await sample({ isLocked: false }));
    await client.get("/_svc/ops/runs");
    const body = new URLSearchParams({ step: "cancel", which: "all" });
    assert.equal((await client.request("/_svc/ops/runs/bulk", { method: "POST", body })).status, 403);
  });
});
