/** Contract section 2: configuration variables. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createApp, page } from "svckit";
import { worker } from "svckit/graph";
import type { Config, Environment } from "svckit/internal";
import { createTestClient, recordLog } from "svckit/testing";
import { describeBothAdapters } from "./both-adapters.ts";
import { OPERATOR, withFixture } from "./app.ts";
import { received, SIGNED, withReceiver } from "./calls.ts";

const configOf = (env: Environment): Config => createApp({ env }).config;

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "svc-variables-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `use` with a port that another server listens on. */
async function withTakenPort(use: (port: number) => Promise<void>): Promise<void> {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  try {
    await use((holder.address() as { port: number }).port);
  } finally {
    await new Promise((resolve) => holder.close(resolve));
  }
}

describe("the listen address", () => {
  it("HOST, PORT: 127.0.0.1, 3000: listen address", async () => {
    const { host, port } = configOf({});
    assert.deepEqual([host, port], ["127.0.0.1", 3000]);
    await withFixture(
      async ({ app }) => {
        const started = await app.start();
        assert.match(started.url, /^http:\/\/127\.0\.0\.1:\d+$/);
        await started.close();
      },
      { HOST: "127.0.0.1", PORT: "0" },
    );
  });

  it("SVC_SITE_URL: in development it defaults to the address where the app listens", () =>
    withFixture(
      async ({ app }) => {
        const started = await app.start();
        assert.equal(app.siteUrl, new URL(started.url).origin);
        await started.close();
      },
      { PORT: "0" },
    ));

  it("HOST, PORT: a taken port is an error that names it, unless PORT is unset (then the next free one)", () =>
    withTakenPort(async (port) => {
      await withFixture(
        async ({ app }) => assert.rejects(app.start(), new RegExp(`Port ${port} on 127.0.0.1 is taken`)),
        {
          HOST: "127.0.0.1",
          PORT: String(port),
        },
      );
      assert.equal(configOf({}).isPortFixed, false);
    }));
});

describe("production", () => {
  it("NODE_ENV: development: production hides benchmark.json, error details, the demo page", async () => {
    const seen = async (env: Record<string, string>): Promise<(number | boolean)[]> => {
      let found: (number | boolean)[] = [];
      await withFixture(async ({ client }) => {
        const broken = await (await client.get("/broken")).text();
        found = [
          (await client.get("/_svc/benchmark.json")).status,
          broken.includes("secret detail"),
          (await client.get("/_svc/demo")).status,
        ];
      }, env);
      return found;
    };
    assert.deepEqual(await seen({ NODE_ENV: "production" }), [404, false, 404]);
    assert.deepEqual(await seen({ NODE_ENV: "development" }), [200, true, 200]);
    assert.equal(configOf({}).isProduction, false);
  });
});

describe("the database", () => {
  const view = (): string => "";
  const workers = [worker("any", () => null)];
  it("SVC_DATA_DIR: .svc: where the embedded database lives", () =>
    inFolder(async (folder) => {
      assert.equal(configOf({}).dataDir, ".svc");
      const app = createApp({ workers, env: { SVC_DATA_DIR: join(folder, "data") }, log: recordLog() });
      await app.boot();
      assert.ok(existsSync(join(folder, "data", "svc.db")));
      await app.close();
    }));

  it("SVC_DATABASE_URL: sqlite:<data dir>/svc.db: the engine", () =>
    inFolder(async (folder) => {
      assert.equal(configOf({}).databaseUrl, "sqlite:.svc/svc.db");
      const file = join(folder, "other.db");
      const env = { SVC_DATA_DIR: folder, SVC_DATABASE_URL: `sqlite:${file}` };
      const app = createApp({ workers, env, log: recordLog() });
      await app.boot();
      assert.ok(existsSync(file));
      await app.close();
      const unknown = createApp({ env: { SVC_DATA_DIR: folder, SVC_DATABASE_URL: "odd://x" }, log: recordLog() });
      await assert.rejects(unknown.boot(), /odd/);
      await unknown.close();
    }));

  it("SVC_SECRET: generated, kept 0600 in the data directory: signs CSRF and graph tokens", () =>
    inFolder(async (folder) => {
      const tokenOf = async (env: Environment): Promise<string> => {
        const app = createApp({
          pages: [page("/", { title: "", view })],
          env: { SVC_DATA_DIR: folder, SVC_DATABASE_URL: "memory:", ...env },
          log: recordLog(),
        });
        const client = createTestClient(app);
        await client.csrfToken();
        const cookie = client.cookies.get("__svc-csrf") ?? "";
        await app.close();
        return cookie;
      };
      const first = await tokenOf({});
      const { mode } = statSync(join(folder, "secret"));
      assert.equal(mode & 0o777, 0o600);
      assert.notEqual(first, "");
      assert.notEqual(await tokenOf({ SVC_SECRET: "s".repeat(32) }), first);
      assert.throws(() => configOf({ SVC_SECRET: "short" }), /SVC_SECRET is too short: 5 characters/);
    }));
});

describe("webhooks", () => {
  it("SVC_WEBHOOK_URLS: comma-separated URLs registered at boot for all events; a bad one fails the boot and says which", async () => {
    await withFixture(
      async ({ client }) => {
        const list = (await (await client.get("/_svc/webhooks", OPERATOR)).json()) as {
          webhooks: { url: string; events: string[] }[];
        };
        const all = ["graph.done", "graph.failed", "graph.paused"];
        assert.deepEqual(Object.fromEntries(list.webhooks.map(({ url, events }) => [url, events])), {
          "https://93.184.216.34/a": all,
          "https://93.184.216.34/b": all,
        });
      },
      { SVC_WEBHOOK_URLS: "https://93.184.216.34/a,https://93.184.216.34/b" },
    );
    await withFixture(async ({ app }) => assert.rejects(app.boot(), /SVC_WEBHOOK_URLS[^]*10\.0\.0\.1\/hook/), {
      SVC_WEBHOOK_URLS: "https://93.184.216.34/a,http://10.0.0.1/hook",
    });
  });

  it("SVC_WEBHOOK_SECRET: none: signs every delivery", async () => {
    assert.equal(configOf({}).webhookSecret, undefined);
    await withFixture(
      async (fixture) =>
        withReceiver(fixture, async (receiver) => {
          await fixture.app.engine.start("double", { value: 1 });
          await fixture.app.engine.start("double", { value: 2 });
          for (const { headers } of await received(receiver, 2))
            assert.match(String(headers["x-svc-signature"]), /^sha256=/);
        }),
      SIGNED,
    );
  });

  it("SVC_WEBHOOK_ALLOW_CIDRS: none: address ranges exempt from the SSRF rules (private receivers, tests)", async () => {
    const status = async (env: Record<string, string>): Promise<number> => {
      let reported = 0;
      await withFixture(async ({ client }) => {
        const headers = { ...OPERATOR, "content-type": "application/json" };
        const body = '{"url":"http://10.1.2.3/hook"}';
        reported = (await client.request("/_svc/webhooks", { method: "POST", headers, body })).status;
      }, env);
      return reported;
    };
    assert.equal(await status({}), 422);
    assert.equal(await status({ SVC_WEBHOOK_ALLOW_CIDRS: "10.1.0.0/16, 127.0.0.0/8" }), 201);
  });
});

describeBothAdapters(
  "the operator",
  (site) => {
    it("SVC_EXEC_API_KEY: none: bearer key of the operator endpoints; unset = those are closed (401)", async () => {
      for (const path of ["/_svc/webhooks", "/_svc/deliveries", "/_svc/graphs", "/_svc/status", "/_svc/metrics"])
        assert.equal((await site.send(path, { headers: OPERATOR })).status, 401, path);
      assert.equal(configOf({}).execApiKey, undefined);
    });
  },
  { SVC_EXEC_API_KEY: "" },
);

for (const [trusted, scheme] of [
  ["", "http"],
  ["127.0.0.0/8", "https"],
] as const) {
  describeBothAdapters(
    `with SVC_TRUST_PROXY "${trusted}"`,
    (site) => {
      it("SVC_TRUST_PROXY: none: CIDRs whose X-Forwarded-* is believed", async () => {
        // Trust depends on the peer address, which only a socket has.
        if (site.port() === undefined) return;
        const headers = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" };
        const response = await site.send("/health", { headers });
        assert.equal(response.headers.has("strict-transport-security"), scheme === "https");
      });
    },
    { SVC_TRUST_PROXY: trusted },
  );
}

describeBothAdapters(
  "the site's origin",
  (site) => {
    it("SVC_SITE_URL: public origin: mutations from its pages are taken, whatever the host", async () => {
      assert.equal(configOf({}).siteOrigin, undefined, "derived from the request in development");
      const token = await site.client.csrfToken();
      const statusFrom = async (origin: string): Promise<number> => {
        const headers = { "content-type": "application/json", "x-svc-csrf": token, origin };
        return (await site.client.request("/_svc/action/echo", { method: "POST", headers, body: '{"args":[]}' }))
          .status;
      };
      assert.equal(await statusFrom("https://shop.example"), 200);
      assert.equal(await statusFrom("https://evil.example"), 403);
    });
  },
  { SVC_SITE_URL: "https://shop.example" },
);

describe("rates", () => {
  it("SVC_RATE_ACTIONS, SVC_RATE_SUBMITS: 120, 60: per minute and client", async () => {
    const { actionsPerMinute, submitsPerMinute } = configOf({});
    assert.deepEqual([actionsPerMinute, submitsPerMinute], [120, 60]);
    await withFixture(
      async ({ client }) => {
        assert.equal((await client.action("echo")).status, 200);
        assert.equal((await client.action("echo")).status, 429);
      },
      { SVC_RATE_ACTIONS: "1" },
    );
  });
});

describe("all variables", () => {
  const BAD = {
    PORT: "70000",
    NODE_ENV: "prod",
    SVC_SECRET: "guessable",
    SVC_TRUST_PROXY: "everyone",
    SVC_SITE_URL: "shop.example",
    SVC_RATE_ACTIONS: "-1",
    SVC_RATE_SUBMITS: "many",
    SVC_WEBHOOK_ALLOW_CIDRS: "10.0.0.0/99",
  };

  it("All are read once, validated together at boot; a bad value stops the boot with one message that lists every problem", async () => {
    await withFixture(async ({ app }) => {
      const error = await app.boot().then(
        () => assert.fail("it booted"),
        (thrown: unknown) => thrown as Error,
      );
      for (const name of Object.keys(BAD)) assert.match(error.message, new RegExp(`^ {2}- ${name} `, "m"));
      assert.doesNotMatch(error.message, /guessable/, "the message contains no secret");
    }, BAD);
  });

  it("are read from the environment when the app is created, not later", () => {
    const env: Record<string, string> = { SVC_RATE_ACTIONS: "7" };
    const app = createApp({ env });
    assert.equal(app.config.actionsPerMinute, 7);
    env["SVC_RATE_ACTIONS"] = "8";
    assert.equal(app.config.actionsPerMinute, 7);
  });
});
