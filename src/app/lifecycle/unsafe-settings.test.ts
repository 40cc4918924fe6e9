import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readConfig, type Environment } from "./config.ts";
import { bootWarnings, unsafeSettings } from "./unsafe-settings.ts";

const SAFE = {
  NODE_ENV: "production",
  SVC_SITE_URL: "https://shop.example",
  SVC_TRUST_PROXY: "127.0.0.1/32,10.0.0.0/8",
  SVC_SECRET: "9f2b7c4d8e1a6053f7b9c2d4e8a16f35",
  SVC_EXEC_API_KEY: "7d1f0c9b3a5e8264",
  SVC_WEBHOOK_URLS: "https://receiver.example/hook",
  SVC_WEBHOOK_SECRET: "b8e4d1c7f0a92635b8e4d1c7f0a92635",
};

const found = (more: Record<string, string | undefined>): string[] =>
  unsafeSettings({ ...SAFE, ...more }).map(({ level, name }) => `${level} ${name}`);

const ROWS: [problem: string, settings: Record<string, string | undefined>, reported: string][] = [
  ["development mode", { NODE_ENV: "development" }, "unsafe NODE_ENV"],
  ["a missing site URL", { SVC_SITE_URL: undefined }, "unsafe SVC_SITE_URL"],
  ["a guessed site URL", { SVC_SITE_URL: undefined, SVC_ALLOWED_HOSTS: "shop.example" }, "advice SVC_SITE_URL"],
  ["a site without TLS", { SVC_SITE_URL: "http://shop.example" }, "unsafe SVC_SITE_URL"],
  ["a socket on all addresses behind a TLS proxy", { HOST: "0.0.0.0" }, "advice HOST"],
  ["a proxy that is not trusted", { SVC_TRUST_PROXY: undefined }, "unsafe SVC_TRUST_PROXY"],
  ["trust in all addresses", { SVC_TRUST_PROXY: "0.0.0.0/0" }, "unsafe SVC_TRUST_PROXY"],
  ["a missing secret", { SVC_SECRET: undefined }, "advice SVC_SECRET"],
  ["a secret of one character", { SVC_SECRET: "s".repeat(32) }, "unsafe SVC_SECRET"],
  ["a placeholder as the secret", { SVC_SECRET: "change-me-before-you-deploy-this!" }, "unsafe SVC_SECRET"],
  ["a previous secret that is the current one", { SVC_SECRET_PREVIOUS: SAFE.SVC_SECRET }, "unsafe SVC_SECRET_PREVIOUS"],
  ["a guessable operator key", { SVC_EXEC_API_KEY: "password-of-ops-1" }, "unsafe SVC_EXEC_API_KEY"],
  ["one value for two secrets", { SVC_EXEC_API_KEY: SAFE.SVC_SECRET }, "unsafe SVC_EXEC_API_KEY"],
  ["no operator key", { SVC_EXEC_API_KEY: undefined }, "advice SVC_EXEC_API_KEY"],
  ["unsigned deliveries", { SVC_WEBHOOK_SECRET: undefined }, "unsafe SVC_WEBHOOK_SECRET"],
  ["a short webhook secret", { SVC_WEBHOOK_SECRET: "9f2b7c4d8e1a" }, "unsafe SVC_WEBHOOK_SECRET"],
  ["deliveries without TLS", { SVC_WEBHOOK_URLS: "http://receiver.example/" }, "advice SVC_WEBHOOK_URLS"],
  [
    "deliveries to the metadata service",
    { SVC_WEBHOOK_ALLOW_CIDRS: "169.254.0.0/16" },
    "unsafe SVC_WEBHOOK_ALLOW_CIDRS",
  ],
  ["a database without TLS", { SVC_DATABASE_URL: "postgres://u@db.example/a" }, "advice SVC_DATABASE_URL"],
  [
    "a key for traces without TLS",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://traces.example", OTEL_EXPORTER_OTLP_HEADERS: "key=1" },
    "unsafe OTEL_EXPORTER_OTLP_ENDPOINT",
  ],
];

describe("the check of settings", () => {
  it("reports nothing about a safe site", () => assert.deepEqual(found({}), []));

  for (const [problem, settings, reported] of ROWS)
    it(`reports ${problem}, and only that`, () => assert.deepEqual(found(settings), [reported]));

  it("never shows a secret", () => {
    const secrets = { SVC_SECRET: "s".repeat(32), SVC_EXEC_API_KEY: "k".repeat(16), SVC_WEBHOOK_SECRET: "wwwwww" };
    const text = JSON.stringify(unsafeSettings({ ...SAFE, ...secrets }));
    for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret));
  });

  it("refuses invalid settings", () => {
    assert.throws(() => unsafeSettings({ ...SAFE, PORT: "x" }), { code: "SVC_CONFIG" });
  });
});

describe("the warnings at the boot", () => {
  const warningsOf = (env: Environment, hasOwnServer = true): string =>
    bootWarnings(readConfig({ NODE_ENV: "production", ...env }), hasOwnServer).join();
  const site = { SVC_SITE_URL: "https://shop.example" };

  it("name both variables of hosts if neither is set in production", () => {
    assert.match(warningsOf({}), /^SVC_SITE_URL: It is not set, nor is SVC_ALLOWED_HOSTS, .*421/);
    assert.equal(warningsOf({ SVC_ALLOWED_HOSTS: "shop.example" }), "");
    assert.equal(warningsOf({ NODE_ENV: "development" }), "");
  });

  it("report an https site without a trusted proxy, unless the app is mounted in a server that may have TLS", () => {
    assert.match(warningsOf(site), /^SVC_TRUST_PROXY: /);
    assert.equal(warningsOf({ ...site, SVC_TRUST_PROXY: "10.0.0.0/8" }), "");
    assert.equal(warningsOf(site, false), "");
  });

  it("report an http site in production, except on this machine", () => {
    assert.match(warningsOf({ SVC_SITE_URL: "http://shop.example" }), /unencrypted/);
    assert.equal(warningsOf({ SVC_SITE_URL: "http://localhost:3000" }), "");
  });
});
