import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { environmentOf, readConfig, siteUrlOf } from "./config.ts";

describe("the configuration", () => {
  it("has the defaults of the contract", () => {
    const config = readConfig({});
    assert.equal(config.host, "127.0.0.1");
    assert.equal(config.port, 3000);
    assert.equal(config.isPortFixed, false);
    assert.equal(config.isProduction, false);
    assert.equal(config.databaseUrl, "sqlite:.svc/svc.db");
    assert.equal(config.secret, undefined);
    assert.equal(config.execApiKey, undefined);
    assert.deepEqual([config.actionsPerMinute, config.submitsPerMinute], [120, 60]);
    assert.deepEqual(config.webhookUrls, []);
    assert.equal(config.trustedProxies.size, 0);
  });

  it("treats an empty variable as unset", () => {
    assert.deepEqual(readConfig({ PORT: "", SVC_SECRET: " ", NODE_ENV: "" }), readConfig({}));
  });

  it("derives the default database from the data directory", () => {
    assert.equal(readConfig({ SVC_DATA_DIR: "/var/lib/x" }).databaseUrl, "sqlite:/var/lib/x/svc.db");
  });

  it("reads lists with spaces", () => {
    const { webhookUrls, webhookAllowCidrs } = readConfig({
      SVC_WEBHOOK_URLS: "https://a.example/x , https://b.example/y,",
      SVC_WEBHOOK_ALLOW_CIDRS: "10.0.0.0/8, fd00::/8",
    });
    assert.deepEqual(webhookUrls, ["https://a.example/x", "https://b.example/y"]);
    assert.deepEqual(webhookAllowCidrs, ["10.0.0.0/8", "fd00::/8"]);
  });

  it("reads previous secrets", () => {
    const { payloadKeys } = readConfig({ SVC_PAYLOAD_KEYS: `2026:${"k".repeat(32)}` });
    assert.deepEqual(payloadKeys, [{ id: "2026", secret: "k".repeat(32) }]);
    assert.throws(
      () => readConfig({ SVC_PAYLOAD_KEYS: "2026:short" }),
      /SVC_PAYLOAD_KEYS has a key "2026" that is too short/,
    );
    const { previousSecrets } = readConfig({ SVC_SECRET_PREVIOUS: `${"a".repeat(32)}, ${"b".repeat(32)}` });
    assert.deepEqual(previousSecrets, ["a".repeat(32), "b".repeat(32)]);
  });

  it("rejects a secret with a comma, which separates previous secrets", () => {
    assert.throws(() => readConfig({ SVC_SECRET: "a,".repeat(16) }), /SVC_SECRET contains a comma/);
    assert.throws(() => readConfig({ SVC_EXEC_API_KEY: "two words" }), /SVC_EXEC_API_KEY contains a space(?!.*two)/);
  });

  it("rejects an operator key that is too short, without repeating it", () => {
    assert.throws(() => readConfig({ SVC_EXEC_API_KEY: "x" }), {
      code: "SVC_CONFIG",
      message: /SVC_EXEC_API_KEY is too short: 1 character, at least 16 required/,
    });
    assert.throws(() => readConfig({ SVC_EXEC_API_KEY: "hunter-two-shor" }), /15 characters(?!.*unter)/);
    assert.equal(readConfig({ SVC_EXEC_API_KEY: "k".repeat(16) }).execApiKey, "k".repeat(16));
  });

  it("takes the mode of an app with its own variables from the process, so that svc start decides it", () => {
    const before = process.env["NODE_ENV"];
    try {
      process.env["NODE_ENV"] = "production";
      assert.equal(readConfig(environmentOf({ PORT: "1" })).isProduction, true);
      assert.equal(readConfig(environmentOf({ NODE_ENV: "" })).isProduction, true);
      assert.equal(readConfig(environmentOf({ NODE_ENV: "development" })).isProduction, false);
      assert.equal(environmentOf(undefined), process.env);
      process.env["NODE_ENV"] = "";
      assert.deepEqual(readConfig(environmentOf({ PORT: "1" })), readConfig({ PORT: "1" }));
    } finally {
      if (before === undefined) delete process.env["NODE_ENV"];
      else process.env["NODE_ENV"] = before;
    }
  });

  it("reports all problems in one message, without secrets", () => {
    const env = {
      SVC_SECRET_PREVIOUS: `${"a".repeat(32)},short-two`,
      PORT: "70000",
      NODE_ENV: "prod",
      SVC_SECRET: "short-one",
      SVC_TRUST_PROXY: "10.1.0.0/8",
      SVC_WEBHOOK_ALLOW_CIDRS: "nonsense",
      SVC_SITE_URL: "shop.example",
      SVC_RATE_ACTIONS: "0",
      SVC_RATE_SUBMITS: "many",
      SVC_DATABASE_URL: "mysql://root:hunter-two@db/shop",
    };
    assert.throws(
      () => readConfig(env),
      (error: Error) => {
        for (const name of Object.keys(env)) assert.ok(error.message.includes(`- ${name} `), name);
        assert.doesNotMatch(error.message, /short-one|short-two|hunter-two|aaa/);
        return true;
      },
    );
  });

  it("reads sizes, times and limits of graphs and webhooks, and leaves unset ones to the app", () => {
    const { graphLimits, webhookPayloadBytes, webhookConnections, graphConcurrency } = readConfig({
      SVC_GRAPH_INPUT_BYTES: "2MiB",
      SVC_GRAPH_EVENT_BYTES: "65536",
      SVC_PROGRESS_RATE: "2",
      SVC_PAUSE_GRACE: "30s",
      SVC_WEBHOOK_PAYLOAD_BYTES: "64 KiB",
      SVC_WEBHOOK_CONNECTIONS: "12",
    });
    assert.deepEqual(graphLimits, {
      inputBytes: 2 * 1024 * 1024,
      eventBytes: 65_536,
      progressPerSecond: 2,
      pauseGrace: "30s",
    });
    assert.deepEqual([webhookPayloadBytes, webhookConnections, graphConcurrency], [65_536, 12, undefined]);
  });

  for (const [name, value, problem] of [
    ["SVC_GRAPH_RESULT_BYTES", "1GiB", "it must be a number of bytes from 1024 to 134217728"],
    ["SVC_GRAPH_RESULT_BYTES", "129MiB", "it must be a number of bytes from 1024 to 134217728"],
    ["SVC_WEBHOOK_PAYLOAD_BYTES", "1", "it must be a number of bytes from 1024 to 16777216"],
    ["SVC_PROGRESS_RATE", "101", "it must be a whole number from 1 to 100"],
    ["SVC_PAUSE_GRACE", "a while", "it must be a duration such as 30s or 5m"],
    ["SVC_GRAPH_CONCURRENCY", "0", "it must be a whole number from 1 to 100000"],
  ] as const) {
    it(`rejects ${name}=${value} and names the allowed values`, () =>
      assert.throws(() => readConfig({ [name]: value }), {
        code: "SVC_CONFIG",
        message: new RegExp(`${name} is "${value}"; ${problem}`),
      }));
  }

  for (const port of ["-1", "3000.5", "0x10", "1e3", "65536", "http"]) {
    it(`rejects the port ${port}`, () => assert.throws(() => readConfig({ PORT: port }), /PORT is/));
  }

  for (const url of ["https://a.example/path", "https://u:p@a.example", "ftp://a.example", "https://a.example/?q"]) {
    it(`rejects the site URL ${url}`, () =>
      assert.throws(() => readConfig({ SVC_SITE_URL: url }), /SVC_SITE_URL must be/));
  }
});

describe("the site URL", () => {
  it("is the variable, or in development the app's address, and is never guessed in production", () => {
    assert.equal(siteUrlOf(readConfig({ SVC_SITE_URL: "https://shop.example/" })), "https://shop.example");
    assert.equal(siteUrlOf(readConfig({ PORT: "4000" })), "http://localhost:4000");
    assert.equal(siteUrlOf(readConfig({}), "http://127.0.0.1:3024/"), "http://127.0.0.1:3024");
    assert.equal(siteUrlOf(readConfig({ SVC_SITE_URL: "https://a.example" }), "http://[::1]:1"), "https://a.example");
    const inProduction = { NODE_ENV: "production", SVC_SECRET: "s".repeat(32) };
    assert.throws(() => siteUrlOf(readConfig(inProduction)), {
      code: "SVC_CONFIG",
      message: /^SVC_SITE_URL is not set/,
    });
  });
});
