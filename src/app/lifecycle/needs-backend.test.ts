import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { worker } from "../../graphs/definition/definition.ts";
import { isNeededAtBoot } from "./needs-backend.ts";
import { readConfig, type Environment } from "./config.ts";
import type { AppOptions } from "../options.ts";

const needs = (app: AppOptions, env: Environment = {}, files: readonly string[] = []): boolean =>
  isNeededAtBoot(app, readConfig(env), (file) => files.includes(file));

describe("the backend", () => {
  it("opens on first use in an app that configures nothing about it and has no database yet", () => {
    assert.equal(needs({}), false);
    const app: AppOptions = { pages: [], actions: {}, submits: {}, extensions: {}, demo: true, ready: {} };
    assert.equal(needs({ ...app, session: { lifetime: "1h" } }, { SVC_SECRET: "s".repeat(32), PORT: "0" }), false);
  });

  const any = worker("any", () => null);
  const said: readonly AppOptions[] = [
    { workers: [any] },
    { schedules: [{ name: "nightly", cron: "@daily", worker: "any" }] },
    { graphConcurrency: 4 },
    { graphLimits: { inputBytes: 65_536 } },
    { graphRetention: "30d" },
    { webhookSchedule: ["1s"] },
    { webhookPayloadBytes: 65_536 },
    { webhookConnections: { total: 2 } },
    { onWebhookDisabled: () => undefined },
    { session: { store: "database" } },
  ];
  for (const app of said)
    it(`opens at the boot if the app sets ${JSON.stringify(Object.keys(app))}`, () => assert.equal(needs(app), true));

  const set: readonly Environment[] = [
    { SVC_WEBHOOK_URLS: "https://hooks.example/in" },
    { SVC_WEBHOOK_SECRET: "an invalid secret, which the boot must report" },
    { SVC_WEBHOOK_ALLOW_CIDRS: "10.0.0.0/8" },
    { SVC_EXEC_API_KEY: "an-operator-key-of-tests" },
    { SVC_RETENTION: "30d" },
    { SVC_GRAPH_INPUT_BYTES: "65536" },
    { SVC_DATABASE_URL: "postgres://app@db/app", SVC_SECRET: "s".repeat(32) },
    { SVC_DATABASE_URL: "sqlite:/srv/app.db" },
  ];
  for (const env of set)
    it(`opens at the boot if ${Object.keys(env)[0]} is ${Object.values(env)[0]}`, () =>
      assert.equal(needs({}, env), true));

  it("opens on first use if all lists are empty", () => {
    assert.equal(needs({ workers: [], graphs: [], schedules: [], graphLimits: {} }), false);
  });

  it("opens at the boot if the database file exists, because it may contain unfinished work", () => {
    assert.equal(needs({}, {}, [".svc/svc.db"]), true);
    assert.equal(needs({}, { SVC_DATA_DIR: "/srv" }, ["/srv/svc.db"]), true);
    assert.equal(needs({}, { SVC_DATA_DIR: "/srv" }, [".svc/svc.db"]), false);
  });

  it("opens on first use if the database is in memory", () => {
    assert.equal(needs({}, { SVC_DATABASE_URL: "memory:" }, ["memory:"]), false);
    assert.equal(needs({}, { SVC_DATABASE_URL: "sqlite::memory:" }, [":memory:"]), false);
  });
});
