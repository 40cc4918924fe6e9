/** Bodies that the server does not read (contract section 5: cheap checks come first), and secrets that it does not reveal (section 1). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fail, route } from "svckit";
import { createFixture, withFixture, type Fixture } from "./app.ts";

/** A request whose body never arrives: reading it waits forever. */
function blocking(path: string, headers: Record<string, string>): { request: Request; wasRead: () => boolean } {
  let isRead = false;
  const body = new ReadableStream(
    {
      pull() {
        isRead = true;
        return new Promise(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: "POST", headers, body, duplex: "half" };
  return { request: new Request(`http://localhost${path}`, init), wasRead: () => isRead };
}

const JSON_TYPE = { "content-type": "application/json" };

describe("a body that never arrives", () => {
  const refusals: [name: string, path: string, headers: Record<string, string>, status: number][] = [
    ["of an unknown action", "/_svc/action/unknown", JSON_TYPE, 404],
    ["of an action named like a property", "/_svc/action/constructor", JSON_TYPE, 404],
    ["of another type than JSON", "/_svc/action/echo", { "content-type": "text/plain" }, 415],
    ["that is compressed", "/_svc/action/echo", { ...JSON_TYPE, "content-encoding": "gzip" }, 415],
    ["without a token", "/_svc/action/echo", JSON_TYPE, 403],
    ["of another site", "/_svc/action/echo", { ...JSON_TYPE, "sec-fetch-site": "cross-site" }, 403],
    ["of a foreign origin", "/_svc/action/echo", { ...JSON_TYPE, origin: "https://evil.example" }, 403],
    ["of a form without a cookie", "/echo", { "content-type": "application/x-www-form-urlencoded" }, 403],
    [
      "of a multipart form of another site",
      "/echo",
      { "content-type": "multipart/form-data; boundary=x", "sec-fetch-site": "same-site" },
      403,
    ],
    ["of a registration without key", "/_svc/webhooks", JSON_TYPE, 401],
    ["of a graph without key", "/_svc/graphs", JSON_TYPE, 401],
    ["of a report of another type", "/_svc/csp-report", JSON_TYPE, 415],
    ["for a path that is not there", "/nowhere", JSON_TYPE, 404],
    ["for a path that only GET has", "/plain", JSON_TYPE, 405],
  ];
  for (const [name, path, headers, status] of refusals) {
    it(`${name} is answered ${status} and not read`, () =>
      withFixture(
        async ({ app }) => {
          const { request, wasRead } = blocking(path, headers);
          assert.equal((await app.fetch(request)).status, status);
          assert.equal(wasRead(), false);
        },
        {},
        { security: { report: true } },
      ));
  }

  it("that announces too much is answered 413 and not read, with a token that is right", () =>
    withFixture(async ({ app, client }) => {
      const token = await client.csrfToken();
      const cookie = [...client.cookies].map((pair) => pair.join("=")).join("; ");
      const headers = { ...JSON_TYPE, "x-svc-csrf": token, cookie, "content-length": String(2 ** 21) };
      const { request, wasRead } = blocking("/_svc/action/echo", headers);
      assert.equal((await app.fetch(request)).status, 413);
      assert.equal(wasRead(), false);
    }));

  it("over the limit is answered 429 and not read", () =>
    withFixture(
      async ({ app }) => {
        const first = blocking("/_svc/action/echo", JSON_TYPE);
        await app.fetch(first.request);
        const second = blocking("/_svc/action/echo", JSON_TYPE);
        assert.equal((await app.fetch(second.request)).status, 429);
        assert.equal(second.wasRead(), false);
      },
      { SVC_RATE_ACTIONS: "1" },
    ));
});

/** Each value would reveal where it leaked into a log or a response. */
const PLANTED = {
  secret: "planted-secret-0123456789abcdef",
  hooks: "planted-hooks-0123456789abcdef",
  key: "planted-key-0123456789abcdef",
  guess: "planted-guess",
  cookie: "planted-cookie",
  body: "planted-body",
};

/** Sends requests that fail in every way, with secrets in all places. */
async function provoke({ client, app }: Fixture): Promise<string> {
  const guess = {
    authorization: `Bearer ${PLANTED.guess}`,
    cookie: `__svc-csrf=${PLANTED.cookie}; session=${PLANTED.cookie}`,
  };
  const answers: Response[] = [];
  const ask = async (path: string, init: RequestInit = {}): Promise<void> => {
    answers.push(await app.fetch(new Request(`http://localhost${path}`, init)));
  };
  const mutation = (body: string, type = "application/json"): RequestInit => ({
    method: "POST",
    headers: { ...guess, "content-type": type, "x-svc-csrf": PLANTED.guess, "x-svc-graph-token": PLANTED.guess },
    body,
  });
  for (const path of [
    "/_svc/webhooks",
    "/_svc/graphs",
    "/_svc/status",
    "/_svc/metrics",
    "/_svc/graphs/g_x/events",
    "/broken",
  ])
    await ask(path, { headers: guess });
  for (const path of [
    "/_svc/action/echo",
    "/_svc/action/throws",
    "/_svc/webhooks",
    "/_svc/graphs",
    "/echo",
    "/fails",
  ]) {
    await ask(path, mutation(`{"args":["${PLANTED.body}"]}`));
    await ask(path, mutation(`{"${PLANTED.body}`));
    await ask(path, mutation(`_csrf=${PLANTED.guess}`, "application/x-www-form-urlencoded"));
  }
  answers.push(await client.post("/_svc/action/throws", { args: [PLANTED.body] }));
  answers.push(await client.post("/fails", { token: PLANTED.body }));
  const operator = { authorization: `Bearer ${PLANTED.key}`, "content-type": "application/json" };
  const hook = JSON.stringify({ url: "https://93.184.216.34/", secret: PLANTED.body, events: ["graph.nothing"] });
  await ask("/_svc/webhooks", { method: "POST", headers: operator, body: hook });
  await ask("/_svc/webhooks", {
    method: "POST",
    headers: operator,
    body: hook.replace(',"events":["graph.nothing"]', ""),
  });
  await ask("/_svc/webhooks", { headers: operator });
  await ask("/_svc/status", { headers: operator });
  return (await Promise.all(answers.map((answer) => answer.text()))).join("\n");
}

describe("a secret", () => {
  for (const mode of ["production", "development"]) {
    it(`is in no response and in no log line, in ${mode}`, async () => {
      const fixture = createFixture(
        {
          NODE_ENV: mode,
          SVC_SECRET: PLANTED.secret,
          SVC_WEBHOOK_SECRET: PLANTED.hooks,
          SVC_EXEC_API_KEY: PLANTED.key,
        },
        {
          demo: true,
          routes: [
            route("POST", "/echo", () => new Response("ok")),
            route("POST", "/fails", () => fail("no", [{ path: ["token"], message: "wrong" }])),
            route("GET", "/broken", () => {
              throw new Error("a server error");
            }),
          ],
        },
      );
      try {
        const answered = await provoke(fixture);
        const logged = fixture.logged.join("\n");
        assert.match(logged, /a server error/);
        for (const [name, value] of Object.entries(PLANTED)) {
          assert.ok(!answered.includes(value), `${name} is in an answer: ${aroundOf(answered, value)}`);
          assert.ok(!logged.includes(value), `${name} is in the log: ${aroundOf(logged, value)}`);
        }
        for (const token of fixture.client.cookies.values())
          assert.ok(!logged.includes(token), "a cookie is in the log");
      } finally {
        await fixture.close();
      }
    });
  }
});

function aroundOf(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - 80), at + 80);
}
