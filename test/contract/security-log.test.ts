/** Log lines with the category "security": one for each kind of refusal, with the client and the route, and without secrets. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { json, rateLimit, route } from "svckit";
import { recordLog } from "svckit/testing";
import { verify } from "svckit/webhooks";
import { farClient, OPERATOR_KEY, opsSample } from "./ops-app.ts";

const log = recordLog();
const app = opsSample({
  isLocked: true,
  env: { NODE_ENV: "production", SVC_SITE_URL: "http://localhost", SVC_EXEC_API_KEY: OPERATOR_KEY },
  more: {
    log,
    routes: [
      route(
        "POST",
        "/hook/:name",
        async (ctx) => {
          verify({ body: await ctx.text(1000), headers: ctx.request.headers, secret: "s".repeat(32) });
          return json(null);
        },
        { csrf: false },
      ),
      route("GET", "/votes", () => json(null), { middleware: [rateLimit({ perMinute: 1 })] }),
    ],
  },
});
after(() => app.close());

interface Line {
  event: unknown;
  client: unknown;
  route: unknown;
}

async function linesOf(act: () => Promise<unknown>): Promise<Line[]> {
  const from = log.entries.length;
  await act();
  return log.entries
    .slice(from)
    .filter(({ fields }) => fields["category"] === "security")
    .map(({ fields }) => ({ event: fields["event"], client: fields["client"], route: fields["route"] }));
}

describe("The security log of an app", () => {
  const client = farClient(app);
  const [address, other] = ["203.0.113.9", "198.51.100.7"];
  const fetch = (url: string, init: RequestInit = {}): Promise<Response> =>
    app.fetch(new Request(url, init), { peerAddress: other });

  it("has a line for each refusal", async () => {
    await app.boot();
    const refusals: Record<string, () => Promise<unknown>> = {
      [`sign-in-failed ${address} undefined`]: () => client.submit("/_svc/ops/sign-in", { key: "a wrong guess" }),
      [`wrong-key ${other} /_svc/status`]: () =>
        fetch("http://localhost/_svc/status", { headers: { authorization: "Bearer a-wrong-guess" } }),
      [`csrf-refused ${other} /_svc/ops/sign-out`]: () =>
        fetch("http://localhost/_svc/ops/sign-out", { method: "POST" }),
      [`host-refused ${other} undefined`]: () => fetch("http://evil.example/votes"),
      [`signature-refused ${other} /hook/:name`]: () =>
        fetch("http://localhost/hook/a-secret-path", { method: "POST", body: "{}" }),
      [`rate-limited ${other} /votes`]: async () => {
        await fetch("http://localhost/votes");
        await fetch("http://localhost/votes");
      },
    };
    for (const [wanted, act] of Object.entries(refusals)) {
      const lines = await linesOf(act);
      assert.deepEqual(
        lines.map(({ event, client: from, route: target }) => `${String(event)} ${String(from)} ${String(target)}`),
        [wanted],
      );
    }
    assert.doesNotMatch(log.texts.join("\n"), /wrong.guess|a-secret-path/);
  });

  it("has no line for other errors and for visitors who may pass", async () => {
    const lines = await linesOf(async () => {
      await fetch("http://localhost/missing");
      await fetch("http://localhost/_svc/status");
      await client.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY });
    });
    assert.deepEqual(lines, []);
  });
});
